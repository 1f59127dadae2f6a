package tool

import "testing"

// TestRound has what Python's round answers, which the documented scores are
// rounded with.
func TestRound(t *testing.T) {
	for _, test := range []struct {
		x        float64
		decimals int
		want     float64
	}{
		{0.03125, 4, 0.0312}, // a tie goes to the even digit
		{0.09375, 4, 0.0938},
		{-0.03125, 4, -0.0312},
		{2.675, 2, 2.67}, // below the tie in binary
		{0.12345, 4, 0.1235},
		{1.19535, 4, 1.1953},
		{5e-5, 4, 0.0001},
		{0.032522474881015335, 6, 0.032522},
		{1e22, 4, 1e22},
		{0, 4, 0},
	} {
		if got := round(test.x, test.decimals); got != test.want {
			t.Errorf("round(%v, %d) = %v, want %v", test.x, test.decimals, got, test.want)
		}
	}
}
