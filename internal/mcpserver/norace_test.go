//go:build !race

package mcpserver_test

const slowness = 1
