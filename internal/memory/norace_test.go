//go:build !race

package memory_test

const slowness = 1
