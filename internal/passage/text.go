package passage

import "strings"

// The parts that join the pieces.
const (
	separator    = " | "
	relPrefix    = separator + "Rel: "
	relSeparator = "; "
	arrow        = " → "
)

// Text renders an entity in at most budget tokens by count, which sees all
// pieces in one call and then the result:
//
//	name (type) | observation | … | Rel: type → target; …; source → type
//
// Relations get up to half of the budget before any observation, and all that
// observations leave; beyond that, whole ones are dropped from the end. If not
// all observations fit, the first 3 and the last 7 come first; if even those
// do not, the long ones among them are cut, so that each keeps its beginning.
// Between them stand those with the most varied words, as far as there is room.
func Text(e Entity, count Counter, budget int) (string, error) {
	p := split(e, budget)
	joints := jointSamples()
	header := []piece{newPiece(e.Name + " (" + e.Type + ")")}
	if err := measure(count, joints, header, p.observations, p.relations); err != nil {
		return "", err
	}
	p.header, p.joints = header[0], jointCosts(joints)
	for target := budget; ; {
		whole := []piece{{text: p.compose(target)}}
		if whole[0].text == "" {
			return "", nil
		}
		if err := measure(count, whole); err != nil {
			return "", err
		}
		tokens := whole[0].tokens
		if tokens <= budget {
			return whole[0].text, nil
		}
		// Joined, pieces may have more tokens than all of them alone.
		target = min(target-(tokens-budget), target*budget/tokens)
	}
}

// joints are the tokens that the joining parts take.
type joints struct {
	separator, relPrefix, relSeparator int
}

// jointSamples are the joining parts between letters, since alone they would
// count otherwise, and first the letter itself.
func jointSamples() []piece {
	return []piece{{text: "a"}, {text: "a" + separator + "a"}, {text: "a" + relPrefix + "a"}, {text: "a" + relSeparator + "a"}}
}

func jointCosts(samples []piece) joints {
	cost := func(i int) int { return samples[i].tokens - 2*samples[0].tokens }
	return joints{separator: max(1, cost(1)), relPrefix: max(1, cost(2)), relSeparator: max(0, cost(3))}
}

// compose joins what fits into the target by the counts of the pieces.
func (p parts) compose(target int) string {
	if target <= 0 {
		return ""
	}
	needed := p.observationsNeed()
	header := p.header.cut(max(target/4, target-needed-p.relationsCost(p.relations)))
	relations := p.chooseRelations(max(target/2, target-header.tokens-needed))
	observations := p.chooseObservations(target - header.tokens - p.relationsCost(relations))
	return join(header, observations, relations)
}

func join(header piece, observations, relations []piece) string {
	var b strings.Builder
	b.WriteString(header.text)
	for _, o := range observations {
		b.WriteString(separator)
		b.WriteString(o.text)
	}
	for i, r := range relations {
		if i == 0 {
			b.WriteString(relPrefix)
		} else {
			b.WriteString(relSeparator)
		}
		b.WriteString(r.text)
	}
	return b.String()
}
