// Package wordrank adds to SQLite the FTS5 function bm25_words, which is bm25()
// with synonyms: the phrases of a MATCH expression belong to words, and a word
// counts once however many of its phrases a row holds, with a weight that the
// caller gives.
package wordrank
