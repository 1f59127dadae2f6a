// Package document writes and reads a whole memory as one JSON document, with
// all that is stored of it: times, use and, if wanted, vectors. One record stands
// on a line, so that files of any size are written and read as a stream and
// compare line by line.
package document
