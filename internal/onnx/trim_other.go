//go:build !linux

package onnx

func trim() {} // other allocators do it by themselves

func releaseMapped(string) {} // other systems count mapped pages apart
