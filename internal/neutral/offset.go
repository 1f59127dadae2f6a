package neutral

// Offset is the inner product of a neutral vector and the mean of passages. With
// it, neutral vectors of passages need not be stored to be compared: the cosine
// of a question's neutral vector q and that of a passage whose unit vector is p
// is (q·p - Offset(q)) / Length, since q has no part in what was taken out of p.
func (s *Space) Offset(neutral []float32) float64 { return dot(neutral, s.passage) }

// Length is that of a passage's unit vector without its language, before it
// became a unit vector again, which is neutral.
func (s *Space) Length(unit, neutral []float32) float64 {
	return dot(neutral, unit) - s.Offset(neutral)
}
