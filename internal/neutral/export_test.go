package neutral

// PassageCentre is the mean of passages.
func (s *Space) PassageCentre() []float32 { return s.passage }

// Directions are those in which languages differ.
func (s *Space) Directions() [][]float32 { return s.directions }

// Project takes the directions out of a vector.
func (s *Space) Project(v []float32) { s.project(v) }
