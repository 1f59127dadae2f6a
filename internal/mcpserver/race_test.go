//go:build race

package mcpserver_test

// slowness is how many times less is done: the race detector takes its time.
const slowness = 5
