//go:build !linux

package cli

// fileSystemOf says on what a file lies: here, it is not known how to find out.
func fileSystemOf(string) (kind string, remote, known bool) { return "", false, false }

// usersOf lists the other processes that have a file open: likewise.
func usersOf(string) (users []string, looked bool) { return nil, false }
