//go:build race

package torture

// slowness is how many times less is done: the race detector takes its time.
const slowness = 6
