// Package modeltest holds the whole memory, from a client's lines to the file
// on disk, to a plain model of it: maps and lists that do what the documents of
// the tools promise. Random calls go to both, and every reply and all that is
// stored must be the same. It also feeds the tools with what nobody would send.
//
// After each batch of calls the rows of the file are compared, too, with times set back
// so that it shows which were made or changed since, and the file is verified.
//
// The model knows what search_nodes finds as a part of a text; of searches by
// words or by meaning it knows only what must hold of any answer.
//
// RAPID_CHECKS is how many memories each of two halves of a run makes, RAPID_STEPS how
// many actions of one or several calls each of them takes on average, and RAPID_SEED
// repeats a run. It ends with a table of calls by tool, and of steps: of a call that has
// several effects each is one. `make torture-model` is the long run of CI.
package modeltest
