//go:build !linux

package torture

import (
	"errors"
	"os/exec"
)

const unlimited = 0

func mountSmallDisk(string, int) (func() error, error) { return nil, errors.ErrUnsupported }

func makeReadOnly(string) error { return errors.ErrUnsupported }

func freeBytes(string) (int64, error) { return 0, errors.ErrUnsupported }

func limitFileSize(int, uint64) error { return errors.ErrUnsupported }

func runAs(*exec.Cmd, uint32) {}
