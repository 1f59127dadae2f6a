//go:build !unix

package memory

// openWithoutWaiting is nothing where opening a file does not wait.
const openWithoutWaiting = 0
