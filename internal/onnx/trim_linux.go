package onnx

/*
#include <malloc.h>

static void trim(void) {
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
*/
import "C"

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// trim gives memory that native code has freed back to the system.
func trim() { C.trim() }

// minMapping is the size from which a mapping is worth unmapping its pages.
const minMapping = 16 << 20

// releaseMapped takes the pages of a mapped file out of this process's
// resident memory. They stay in the system's cache, from where the next access
// brings them back. Without it every word ever asked for stays resident, with
// the words around it. The mapping must be unchanged, and last until the end.
func releaseMapped(path string) {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		line := lines.Text()
		at := strings.IndexByte(line, '/')
		if at < 0 || strings.TrimSuffix(line[at:], " (deleted)") != path {
			continue
		}
		var start, end uintptr
		if _, err := fmt.Sscanf(line, "%x-%x", &start, &end); err == nil && end-start >= minMapping {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, start, end-start, syscall.MADV_DONTNEED)
		}
	}
}
