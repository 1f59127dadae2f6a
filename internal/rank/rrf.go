package rank

import (
	"cmp"
	"slices"
)

// RRFK is the k of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).
const RRFK = 60

// Fused is an id with its score of reciprocal rank fusion.
type Fused struct {
	ID    int64
	Score float64
}

// RRF fuses rankings: an id scores the sum of 1/(k + position) over the lists
// that hold it, positions from 1. The best come first, and ties in order of
// first appearance. A list holds each id once.
func RRF(k int, lists ...[]int64) []Fused {
	fused := []Fused{}
	index := map[int64]int{}
	for _, list := range lists {
		for i, id := range list {
			at, known := index[id]
			if !known {
				at = len(fused)
				index[id] = at
				fused = append(fused, Fused{ID: id})
			}
			fused[at].Score += 1 / float64(k+i+1)
		}
	}
	slices.SortStableFunc(fused, func(a, b Fused) int { return cmp.Compare(b.Score, a.Score) })
	return fused
}
