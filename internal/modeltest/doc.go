// Package modeltest holds the whole memory, from a client's lines to the file
// on disk, to a plain model of it: maps and lists that do what the documents of
// the tools promise. Random calls go to both, and every reply and all that is
// stored must be the same. It also feeds the tools with what nobody would send.
package modeltest
