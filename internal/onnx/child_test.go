package onnx_test

import (
	"os"
	"os/exec"
	"testing"
)

// runChild runs one test in a process of its own.
func runChild(t *testing.T, pattern string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", pattern)
	child.Env = append(os.Environ(), "ONNX_TEST_CHILD=1")
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
