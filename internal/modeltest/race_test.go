//go:build race

package modeltest_test

// slowness is how many times less is done: the race detector takes its time.
const slowness = 12
