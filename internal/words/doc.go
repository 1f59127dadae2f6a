// Package words turns texts into the terms of a word index, and questions into
// the terms to look for in it.
//
// A term is lower case and folded (package fold) and consists of letters,
// digits and marks, 64 at most. Words of alphabets become stems: of the
// language that the text seems to be in for Latin letters, of Russian for
// Cyrillic, of Arabic for Arabic letters. Other words stay as they are, folded.
// Scripts that put no blanks between words become single characters and pairs
// of neighbours. A compound (getUserName, foo-bar, 1.2.3) is a term as a whole,
// and so are its parts.
//
// What a text is in can only be guessed, so a question's word has variants: the
// stems that a text of any of the languages would hold it under, with and
// without accents.
package words
