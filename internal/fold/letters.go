package fold

import "strings"

// letters maps letters, folded but for this, that Unicode does not decompose to
// what those write who do not have them on their keyboard: those of Latin
// alphabets in use, and the Arabic letters of which Persian and Urdu have forms
// of their own.
var letters = strings.NewReplacer(
	"đ", "d", "ð", "d", "ħ", "h", "ı", "i", "ĸ", "q", "ł", "l", "ŋ", "n", "ø", "o", "ŧ", "t",
	"æ", "ae", "œ", "oe", "þ", "th",
	"ɓ", "b", "ɖ", "d", "ɗ", "d", "ə", "e", "ǝ", "e", "ɛ", "e", "ƒ", "f", "ǥ", "g", "ɣ", "g", "ɨ", "i", "ɩ", "i", "ƙ", "k",
	"ɲ", "n", "ɔ", "o", "ɵ", "o", "ʉ", "u", "ʋ", "v", "ƴ", "y", "ƶ", "z",
	"ٱ", "ا", "ک", "ك", "ی", "ي", "ہ", "ه",
)
