package neutral

import "math"

// Dimensions is the length of a vector of the model.
const Dimensions = 384

// Version names the constants. It changes whenever the same vector would give
// another one.
const Version = "1"

const (
	minLength = 1e-30 // of a vector that has a direction
	minRest   = 1e-3  // of what remains of a unit vector: less is noise
)

// Space is what is known of how a model's vectors carry language.
type Space struct {
	query, passage []float32   // the mean over all languages
	directions     [][]float32 // in which languages differ, orthonormal
}

// Passage returns the language-neutral unit vector of a passage's vector, of
// which only the direction counts. One that is zero, not finite, not of
// Dimensions numbers or nothing but language gives zeros.
func (s *Space) Passage(vector []float32) []float32 { return s.neutral(vector, s.passage) }

// Query is Passage for the vector of a question.
func (s *Space) Query(vector []float32) []float32 { return s.neutral(vector, s.query) }

func (s *Space) neutral(vector, centre []float32) []float32 {
	rest := make([]float32, Dimensions)
	if len(vector) != Dimensions || !rescale(rest, vector, minLength) {
		return rest
	}
	subtract(rest, centre, 1)
	s.project(rest)
	if !rescale(rest, rest, minRest) {
		clear(rest)
	}
	return rest
}

// project takes the directions out of a vector.
func (s *Space) project(v []float32) {
	for _, d := range s.directions {
		subtract(v, d, float32(dot(v, d)))
	}
}

// rescale writes the unit vector of v, unless v is not longer than least or not
// finite.
func rescale(unit, v []float32, least float64) bool {
	length := math.Sqrt(dot(v, v))
	if !(length > least && length <= math.MaxFloat32) {
		return false
	}
	scale := float32(1 / length)
	for i, x := range v {
		unit[i] = x * scale
	}
	return true
}

// dot has several sums, for the processor to add at once.
func dot(a, b []float32) float64 {
	var s0, s1, s2, s3 float64
	for len(a) >= 4 && len(b) >= 4 {
		s0 += float64(a[0]) * float64(b[0])
		s1 += float64(a[1]) * float64(b[1])
		s2 += float64(a[2]) * float64(b[2])
		s3 += float64(a[3]) * float64(b[3])
		a, b = a[4:], b[4:]
	}
	return s0 + s1 + s2 + s3
}

// subtract takes f times b from a.
func subtract(a, b []float32, f float32) {
	b = b[:len(a)]
	for i := range a {
		a[i] -= f * b[i]
	}
}
