package sqlite

import "math"

// coarseScale is what a unit vector is multiplied by before its numbers are
// rounded to a byte each. Larger ones than 127 are cut: of neutral vectors of
// multilingual-e5-small none, whose largest number was 0.25.
const coarseScale = 500

// coarse writes the direction of a vector as vec0 stores it: one int8 a number.
func coarse(vector []float32) []byte {
	scale := coarseScale / norm(vector)
	rounded := make([]byte, len(vector))
	for i, x := range vector {
		rounded[i] = byte(int8(max(-math.MaxInt8, min(math.MaxInt8, math.Round(float64(x)*scale)))))
	}
	return rounded
}

// norm is the length of a vector.
func norm(vector []float32) float64 {
	var sum float64
	for _, x := range vector {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}
