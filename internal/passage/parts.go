package passage

import "slices"

// How observations are chosen when they do not all fit: the first ones, which
// are the most stable; the last ones, which are the most recent; and of those
// between, the ones with the most varied words.
const (
	headLength = 3
	tailLength = 7
)

// parts are the pieces of an entity's text.
type parts struct {
	header       piece
	joints       joints
	observations []piece // in order; of very many, those worth a thought
	relations    []piece
	head, tail   int  // how many observations at either end always count
	incomplete   bool // some observations are left out already
}

// split prepares the observations and relations. Of very many it leaves out
// those that have no chance, so that nobody counts their tokens.
func split(e Entity, budget int) parts {
	n := len(e.Observations)
	p := parts{head: min(headLength, n)}
	p.tail = min(tailLength, n-p.head)
	for _, o := range e.Observations {
		p.observations = append(p.observations, newPiece(o))
	}
	p.leaveOut(budget)
	for _, r := range e.Outgoing {
		p.relations = append(p.relations, newPiece(r.Type+arrow+r.Other))
	}
	for _, r := range e.Incoming {
		p.relations = append(p.relations, newPiece(r.Other+arrow+r.Type))
	}
	p.relations = p.relations[:affordable(p.relations, budget)]
	return p
}

// leaveOut removes observations between head and tail that have no chance.
func (p *parts) leaveOut(budget int) {
	between := p.between()
	candidates := make([]piece, 0, len(between))
	kept := make([]int, 0, len(between))
	for _, i := range mostDiverse(between) {
		if !between[i].clipped {
			candidates, kept = append(candidates, between[i]), append(kept, i)
		}
	}
	kept = kept[:affordable(candidates, budget)]
	if len(kept) == len(between) {
		return
	}
	p.incomplete = true
	slices.Sort(kept)
	shorter := slices.Clone(p.observations[:p.head])
	for _, i := range kept {
		shorter = append(shorter, between[i])
	}
	p.observations = append(shorter, p.observations[len(p.observations)-p.tail:]...)
}

// between returns the observations that are neither head nor tail.
func (p *parts) between() []piece {
	return p.observations[p.head : len(p.observations)-p.tail]
}

// runesAToken is more than a token has on average in any text.
const runesAToken = 32

// affordable returns how many of the first pieces may fit into the budget:
// each takes a token, and so many characters do not fit.
func affordable(pieces []piece, budget int) int {
	runes := 0
	for i, p := range pieces {
		runes += p.runes
		if i >= budget || i > 0 && runes > runesAToken*budget {
			return i
		}
	}
	return len(pieces)
}
