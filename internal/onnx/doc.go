// Package onnx embeds texts with ONNX Runtime and Hugging Face tokenizers. It
// is the only package with those native libraries; ONNX Runtime is loaded when
// the first text is to be embedded, not before.
package onnx
