// Package neutral takes the language out of the embedding model's vectors. It
// consists of pure functions on numbers.
//
// A vector of multilingual-e5-small tells its language as loudly as its
// meaning: in a memory in two languages, nearly every text in the question's
// language is nearer than the answer in the other. But the language is a shift,
// much the same for all texts. From translations of the same sentences into 14
// languages come the mean vector of each language, as questions and as
// passages. Vectors lose the mean over all languages, of questions and passages
// each their own, and every direction in which the means of languages differ;
// what remains is scaled to unit length again. Nothing has to know the language
// of a text, and languages that resemble one of the 14 gain as well.
//
// Cosines between neutral vectors have another scale: about 0 for texts that
// have nothing to do with each other, in the same language or not.
//
// Sources: Yang, Yang, Cer, Darve, A Simple and Effective Method To Eliminate
// the Self Language Bias in Multilingual Representations, EMNLP 2021, which
// projects out directions of each language; Libovický, Rosa, Fraser, On the
// Language Neutrality of Pre-trained Multilingual Representations, Findings of
// EMNLP 2020, which centres each language. Here the directions are those
// between the centres, so that one projection serves all.
//
// Command derive computes the constants from the model (make neutral).
package neutral
