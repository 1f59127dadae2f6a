//go:build race

package memory_test

// slowness is how many times less is done: the race detector takes its time.
const slowness = 4
