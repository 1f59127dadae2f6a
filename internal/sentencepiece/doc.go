// Package sentencepiece tokenises texts as the tokenizer.json of XLM-RoBERTa
// and its kin says: SentencePiece's normalisation, words that begin with a
// blank, and the most probable pieces of each (Unigram). It gives the ids that
// Hugging Face's tokenizers gives, with a twentieth of its memory.
package sentencepiece
