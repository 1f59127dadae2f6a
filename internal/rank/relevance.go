package rank

import "math"

// Knee is where Evidence begins to flatten towards 0.
const Knee = 0.1

// Meaning is how close a text is in meaning: (likeness - Floor)/Span, about 0
// for what has nothing to do with a query and 1 for a good answer. A nil
// likeness is one that is unknown, and counts as unrelated.
func (s Settings) Meaning(likeness *float64) float64 {
	if likeness == nil {
		return 0
	}
	return (*likeness - s.Floor) / s.Span
}

// Words weighs the shares of a query's words that an entity and its best
// passage hold. A word or two in common, as chance brings about, count for less
// than their share: it is raised to WordsPower.
func (s Settings) Words(entity, passage float64) float64 {
	return s.EntityWords*math.Pow(entity, s.WordsPower) + s.PassageWords*math.Pow(passage, s.WordsPower)
}

// Evidence adds meaning and words, both on absolute scales, so that a ranker
// that knows nothing adds little. A sum below Knee flattens out towards 0 in the
// same order, so that it is never negative.
func Evidence(meaning, words float64) float64 {
	sum := meaning + words
	if sum < Knee {
		return Knee * math.Exp(sum/Knee-1)
	}
	return sum
}

// MaxGap is beyond which a larger gap says nothing more.
const MaxGap = 0.5

// Relevance is the share of results with this evidence and gap that were right,
// from 0 to 1: a logistic curve that was fitted on several sets. The gap is how
// much more evidence there is than for the best other candidate; it is negative
// for all but the best.
func (s Settings) Relevance(evidence, gap float64) float64 {
	return 1 / (1 + math.Exp(-(s.Base + s.ByEvidence*evidence + s.ByGap*max(-MaxGap, min(MaxGap, gap)))))
}

const (
	bm25K1 = 1.2  // of FTS5's bm25(), fixed there
	minIDF = 1e-6 // FTS5's idf of words that half of all documents hold
)

// IDF is the inverse document frequency of a word as FTS5's bm25() computes
// it. A word that no document holds has the largest.
func IDF(documents, holding int) float64 {
	n, held := float64(documents), float64(min(holding, documents))
	if idf := math.Log((n - held + 0.5) / (held + 0.5)); idf > 0 {
		return idf
	}
	return minIDF
}

// Whole is the share of a passage that holds all words that are looked up, of which it
// has share by their weight alone: a word that stands there once has less than half of what
// it could have, and names and numbers that look like the one asked for may have as
// much by their meaning.
func (s Settings) Whole(share float64) float64 { return share + s.AllWords*(1-share) }

// TextShare is the part of a query, by weight of its words, that a document
// with this bm25 covers: the score over its least upper bound for the query,
// (k1 + 1) times the sum of the words' IDF. bm25 is positive, higher is better. It lies in [0, 1].
func TextShare(bm25, idfSum float64) float64 {
	if !(bm25 > 0 && idfSum > 0) {
		return 0
	}
	return min(1, bm25/((bm25K1+1)*idfSum))
}
