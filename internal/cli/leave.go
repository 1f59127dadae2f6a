package cli

// #include <unistd.h>
import "C"

// Leave ends the process as it is, with the exit code that Run returned. os.Exit goes
// through C's exit on macOS and under the race detector: that destroys what a native
// library works with while its threads still compute, and ends in a crash.
func Leave(code int) { C._exit(C.int(code)) }
