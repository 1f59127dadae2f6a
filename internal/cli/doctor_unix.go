//go:build unix

package cli

import "golang.org/x/sys/unix"

// folderWritable reports why files cannot be made in a folder.
func folderWritable(path string) error { return unix.Access(path, unix.W_OK|unix.X_OK) }
