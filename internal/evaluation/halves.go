package evaluation

import (
	"crypto/sha256"
	"slices"
)

// Half is a memory without about half of a set's entities, and what can no
// longer be answered there.
type Half struct {
	Gone      []string   // names of the entities it lacks
	Questions []Question // those of which all answers are gone; they have none now
}

// Halves splits the entities of a set in two by a hash of their names, and
// returns the memories without the one half and without the other. A question
// with answers in both is in neither.
func (s Set) Halves() [2]Half {
	var halves [2]Half
	for _, e := range s.Entities {
		h := &halves[side(e.Name)]
		h.Gone = append(h.Gone, e.Name)
	}
	for _, q := range s.Questions {
		if len(q.Answers) == 0 {
			continue
		}
		at := side(q.Answers[0])
		if slices.ContainsFunc(q.Answers, func(name string) bool { return side(name) != at }) {
			continue
		}
		q.Answers = nil
		halves[at].Questions = append(halves[at].Questions, q)
	}
	return halves
}

// side is the half, 0 or 1, that an entity belongs to.
func side(name string) int { return int(sha256.Sum256([]byte(name))[0] & 1) }
