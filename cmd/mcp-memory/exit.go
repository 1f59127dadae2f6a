package main

// #include <unistd.h>
import "C"

// exit ends the process as it is. os.Exit goes through C's exit on macOS and under the
// race detector: that destroys what a native library works with while its threads still
// compute, and ends in a crash.
func exit(code int) { C._exit(C.int(code)) }
