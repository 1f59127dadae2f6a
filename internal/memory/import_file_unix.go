//go:build unix

package memory

import "syscall"

// openWithoutWaiting opens a pipe without its other end, and no terminal as the
// process's own.
const openWithoutWaiting = syscall.O_NONBLOCK | syscall.O_NOCTTY
