package onnx

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMeanPool(t *testing.T) {
	states := []float32{
		1, 2,
		5, 6,
		100, 100, // masked
	}
	got := meanPool(states, []int64{1, 1, 0}, 2)
	if want := []float32{0.6, 0.8}; !cmp.Equal(got, want) { // mean (3, 4), length 5
		t.Errorf("meanPool = %v, want %v", got, want)
	}
	if got := meanPool(states, []int64{0, 0, 0}, 2); !cmp.Equal(got, []float32{0, 0}) {
		t.Errorf("meanPool of nothing = %v, want zeros", got)
	}
}

func TestWiden(t *testing.T) {
	half := []byte{
		0x00, 0x3c, // 1
		0x00, 0xc0, // -2
		0xff, 0x7b, // 65504, the largest
		0x01, 0x00, // 2^-24, the smallest
		0x00, 0x80, // -0
		0x00, 0x7c, // infinity
	}
	want := []float32{1, -2, 65504, 0x1p-24, float32(math.Copysign(0, -1)), float32(math.Inf(1))}
	if got := widen(half); !cmp.Equal(got, want) {
		t.Errorf("widen = %v, want %v", got, want)
	}
}

func TestBatches(t *testing.T) {
	lengths := func(ns ...int) [][]uint32 {
		out := make([][]uint32, len(ns))
		for i, n := range ns {
			out[i] = make([]uint32, n)
		}
		return out
	}
	tests := []struct {
		name     string
		lengths  [][]uint32
		together bool
		want     [][]int
	}{
		{"short ones share a run, in order of length", lengths(22, 20, 21), true, [][]int{{1, 2, 0}}},
		{"a run is bounded", lengths(256, 250, 250, 256), true, [][]int{{1, 2}, {0, 3}}},
		{"lengths that differ much are kept apart", lengths(100, 20, 110), true, [][]int{{1}, {0, 2}}},
		{"each alone", lengths(5, 4), false, [][]int{{1}, {0}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, batches(test.lengths, test.together)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLibraryNames(t *testing.T) {
	for goos, want := range map[string]string{
		"linux":   "libonnxruntime.so.1.24.4",
		"darwin":  "libonnxruntime.1.24.4.dylib",
		"windows": "onnxruntime.dll",
	} {
		if got := libraryNames(goos)[0]; got != want {
			t.Errorf("libraryNames(%s)[0] = %s, want %s", goos, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct {
		text string
		n    int
		want string
	}{
		{"abc", 5, "abc"},
		{"abc", 2, "ab"},
		{"añb", 2, "a"}, // ñ has two bytes
	} {
		if got := cut(test.text, test.n); got != test.want {
			t.Errorf("cut(%q, %d) = %q, want %q", test.text, test.n, got, test.want)
		}
	}
}
