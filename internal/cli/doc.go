// Package cli is the command line: it reads flags and environment, puts the
// parts together and runs them.
package cli
