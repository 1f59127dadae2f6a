package rank

import "math"

// Constants of the limbic signals, as documented for the system since its
// first version.
const (
	BetaSalience  = 0.5    // weight of importance
	BetaDegree    = 0.15   // the most that relations add to importance
	MaxDegree     = 15     // relations beyond these add nothing
	Gamma         = 0.01   // weight of co-occurrence
	LambdaHourly  = 0.0001 // decay an hour: half after 6,931 hours, about 289 days
	TemporalFloor = 0.1    // what is old never counts less than this
)

// Importance weighs how often an entity was used, against the most used
// candidate, and how connected it is. It lies in [0, 1 + BetaDegree].
func Importance(accesses, maxAccesses, degree int) float64 {
	if maxAccesses <= 0 || accesses <= 0 {
		return 0
	}
	salience := math.Log2(1+float64(accesses)) / math.Log2(1+float64(maxAccesses))
	degree = max(0, min(degree, MaxDegree))
	return salience * (1 + BetaDegree*float64(degree)/MaxDegree)
}

// TemporalFactor decays with the hours since the last use, from 1 down to
// TemporalFloor. A use in the future counts as one now.
func TemporalFactor(hours float64) float64 {
	return max(TemporalFloor, math.Exp(-LambdaHourly*max(0, hours)))
}

// CoocBoost sums log2(1 + n) over how often an entity was used together with
// each of the other candidates.
func CoocBoost(counts ...int) float64 {
	var sum float64
	for _, n := range counts {
		if n > 0 {
			sum += math.Log2(1 + float64(n))
		}
	}
	return sum
}

// Factor joins the signals into the documented multiplier of a score. It is
// unbounded; UseFactor bounds it.
func Factor(importance, temporal, cooc float64) float64 {
	return (1 + BetaSalience*importance) * temporal * (1 + Gamma*cooc)
}

// UseFactor is what evidence is multiplied by for its use: 1 + Use·tanh(ln f), f
// being Factor of the signals. It lies within Use of 1, so that use orders
// near-equals and never overrules meaning. A better signal never lowers it.
func (s Settings) UseFactor(importance, temporal, cooc float64) float64 {
	f := Factor(importance, temporal, cooc)
	squashed := 1 - 2/(f*f+1) // tanh(ln f)
	return 1 + s.Use*squashed
}
