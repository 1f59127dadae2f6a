// Package partfile makes files that get their name when they are complete, and
// removes those of programs that were killed before. A file that is being made is
// locked by its program, so that nobody takes it for left over.
package partfile
