package passage

import (
	"cmp"
	"math"
	"slices"
)

// unknown is a cost beyond every budget.
const unknown = math.MaxInt32

// observationCost is what an observation takes with its separator.
func (p parts) observationCost(o piece) int { return o.tokens + p.joints.separator }

// observationsNeed is what all observations would take, or unknown.
func (p parts) observationsNeed() int {
	if p.incomplete {
		return unknown
	}
	need := 0
	for _, o := range p.observations {
		if o.clipped {
			return unknown
		}
		need += p.observationCost(o)
	}
	return need
}

// relationsCost is what these relations take with all that joins them.
func (p parts) relationsCost(relations []piece) int {
	if len(relations) == 0 {
		return 0
	}
	cost := p.joints.relPrefix + (len(relations)-1)*p.joints.relSeparator
	for _, r := range relations {
		cost += r.tokens
	}
	return cost
}

// chooseRelations returns the first relations that fit into room. Of a first
// one that does not fit there is the beginning.
func (p parts) chooseRelations(room int) []piece {
	n := len(p.relations)
	for n > 0 && p.relationsCost(p.relations[:n]) > room {
		n--
	}
	if n == 0 && len(p.relations) > 0 {
		first := p.relations[0].cut(room - p.joints.relPrefix)
		if first.text == "" {
			return nil
		}
		return []piece{first}
	}
	return p.relations[:n]
}

// chooseObservations returns observations, in order, that fit into room.
func (p parts) chooseObservations(room int) []piece {
	if p.observationsNeed() <= room {
		return p.observations
	}
	between := p.between()
	tail := p.observations[p.head+len(between):]
	ends := p.cutEvenly(slices.Concat(p.observations[:p.head], tail), room)
	if ends == nil {
		return nil
	}
	for _, o := range ends {
		room -= p.observationCost(o)
	}
	var taken []int
	for _, i := range mostDiverse(between) {
		if cost := p.observationCost(between[i]); cost <= room {
			taken = append(taken, i)
			room -= cost
		}
	}
	slices.Sort(taken)
	chosen := slices.Clone(ends[:p.head])
	for _, i := range taken {
		chosen = append(chosen, between[i])
	}
	return append(chosen, ends[p.head:]...)
}

// mostDiverse returns the indexes of pieces by descending lexical diversity.
func mostDiverse(pieces []piece) []int {
	order := make([]int, len(pieces))
	diversity := make([]float64, len(pieces))
	for i, p := range pieces {
		order[i], diversity[i] = i, LexicalDiversity(p.text)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(diversity[b], diversity[a]) })
	return order
}

// cutEvenly cuts the longest of the pieces, all to the same number of tokens,
// so that together they fit into room. Short ones stay whole. If there is not
// a token for each, there are none.
func (p parts) cutEvenly(pieces []piece, room int) []piece {
	room -= len(pieces) * p.joints.separator
	lengths := make([]int, len(pieces))
	for i, o := range pieces {
		lengths[i] = o.tokens
	}
	slices.Sort(lengths)
	level := math.MaxInt
	for i, length := range lengths {
		share := room / (len(lengths) - i)
		if length > share {
			level = share
			break
		}
		room -= length
	}
	if level < 1 {
		return nil
	}
	cut := make([]piece, len(pieces))
	for i, o := range pieces {
		cut[i] = o.cut(level)
	}
	return cut
}
