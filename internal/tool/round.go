package tool

import "strconv"

// round rounds to that many decimals, half to even on the exact binary value.
func round(x float64, decimals int) float64 {
	// Formatting works on the exact value; x*1e4 would round once too often.
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', decimals, 64), 64)
	if err != nil {
		return x
	}
	return rounded
}

func roundIfAny(x *float64, decimals int) *float64 {
	if x == nil {
		return nil
	}
	rounded := round(*x, decimals)
	return &rounded
}
