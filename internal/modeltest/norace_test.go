//go:build !race

package modeltest_test

const slowness = 1
