//go:build unix

package sqlite

import "golang.org/x/sys/unix"

// writable returns why the operating system would not let this process read and
// write a file or folder.
func writable(path string) error { return unix.Access(path, unix.R_OK|unix.W_OK) }
