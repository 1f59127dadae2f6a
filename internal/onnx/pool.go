package onnx

import "math"

// minimum guards divisions, as sentence-transformers does.
const minimum = 1e-9

// meanPool averages the hidden states of the tokens whose mask is 1 and
// scales the average to length 1. states holds len(mask) rows of dims values.
// Sums are kept in float64; the result is float32.
func meanPool(states []float32, mask []int64, dims int) []float32 {
	sums := make([]float64, dims)
	count := 0.0
	for token, m := range mask {
		if m == 0 {
			continue
		}
		count++
		for d, v := range states[token*dims : (token+1)*dims] {
			sums[d] += float64(v)
		}
	}
	count = max(count, minimum)
	square := 0.0
	for d := range sums {
		sums[d] /= count
		square += sums[d] * sums[d]
	}
	norm := max(math.Sqrt(square), minimum)
	vector := make([]float32, dims)
	for d, v := range sums {
		vector[d] = float32(v / norm)
	}
	return vector
}

// widen converts IEEE 754 half precision, little endian, to float32.
func widen(half []byte) []float32 {
	out := make([]float32, len(half)/2)
	for i := range out {
		out[i] = halfToFloat(uint16(half[2*i]) | uint16(half[2*i+1])<<8)
	}
	return out
}

func halfToFloat(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exponent := uint32(h >> 10 & 0x1f)
	fraction := uint32(h & 0x3ff)
	switch {
	case exponent == 0x1f: // infinity, NaN
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	case exponent == 0: // zero, subnormal: fraction * 2^-24
		f := float32(fraction) / (1 << 24)
		return math.Float32frombits(sign | math.Float32bits(f))
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
