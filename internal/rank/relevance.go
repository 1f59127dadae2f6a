package rank

import "math"

// Calibration says how the cosines of a model spread, so that they can be
// added to other scores: Floor is the cosine of texts that have nothing to do
// with each other, Floor + Span that of a question and its answer.
type Calibration struct {
	Floor, Span float64
}

// E5Small belongs to multilingual-e5-small, which squeezes cosines into about
// 0.72 to 0.93. Measured on retrieval in four languages.
var E5Small = Calibration{Floor: 0.75, Span: 0.15}

// TextWeight is the weight of a full match of words against a full match in
// meaning. Results hardly differ from 1 to 2.
const TextWeight = 1

// WeakRelevance is the relevance below which a result may well have nothing to
// do with the query. Right answers that share no word with their question lie
// at cosine distances of 0.14 to 0.18, wrong ones from 0.16 on: a cosine of
// 0.8475 is between.
const WeakRelevance = 0.65

// knee is where Relevance begins to flatten towards 0.
const knee = 0.1

// Relevance adds the closeness in meaning and the share of the query's words,
// both on absolute scales, so that a ranker that knows nothing adds little:
//
//	(cos - Floor)/Span + TextWeight·share
//
// A nil distance is one that is unknown, and counts as unrelated. A sum below
// 0.1 flattens out towards 0 in the same order, so that it is never negative.
func (c Calibration) Relevance(distance *float64, share float64) float64 {
	sum := TextWeight * share
	if distance != nil {
		sum += (1 - *distance - c.Floor) / c.Span
	}
	if sum < knee {
		return knee * math.Exp(sum/knee-1)
	}
	return sum
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

// IDFMass sums the IDF of a query's words, given how many documents hold each.
func IDFMass(documents int, holding []int) float64 {
	var mass float64
	for _, n := range holding {
		mass += IDF(documents, n)
	}
	return mass
}

// TextShare is the part of a query, by weight of its words, that a document
// with this bm25 covers: the score over its least upper bound for the query,
// (k1 + 1)·IDFMass. bm25 is positive, higher is better. It lies in [0, 1].
func TextShare(bm25, idfMass float64) float64 {
	if !(bm25 > 0 && idfMass > 0) {
		return 0
	}
	return min(1, bm25/((bm25K1+1)*idfMass))
}
