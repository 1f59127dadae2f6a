//go:build unix

package sqlite

import "golang.org/x/sys/unix"

// readable returns why the operating system would not let this process read a file or
// folder.
func readable(path string) error { return unix.Access(path, unix.R_OK) }

// writable is readable for writing.
func writable(path string) error { return unix.Access(path, unix.W_OK) }
