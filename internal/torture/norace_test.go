//go:build !race

package torture

const slowness = 1
