package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/neutral"
)

func TestTranslationsAreWhole(t *testing.T) {
	languages, err := translations()
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	seen := map[string]bool{}
	for _, l := range languages {
		codes = append(codes, l.code)
		if len(l.sentences) != 40 {
			t.Errorf("%d sentences in %s", len(l.sentences), l.code)
		}
		for _, s := range l.sentences {
			if seen[s] || s != strings.TrimSpace(s) {
				t.Errorf("%s: %q is there twice, or has blanks around it", l.code, s)
			}
			seen[s] = true
		}
	}
	want := strings.Fields("en es pt fr de it ru tr ar hi th zh ja ko")
	if diff := cmp.Diff(want, codes); diff != "" {
		t.Error(diff)
	}
}

func TestParse(t *testing.T) {
	got, err := parse("en One day.\nes Un día.\n\nen Good night.\nes Buenas noches.\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []language{{"en", []string{"One day.", "Good night."}}, {"es", []string{"Un día.", "Buenas noches."}}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(language{})); diff != "" {
		t.Error(diff)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"a missing language":    "en a\nes b\n\nen c",
		"a language too many":   "en a\n\nen b\nes c",
		"languages out of turn": "en a\nes b\n\nes c\nen d",
		"no sentence":           "en a\nes",
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := parse(text); err == nil {
				t.Errorf("parsed as %v", got)
			}
		})
	}
}

func TestPassagesJoinNeighbours(t *testing.T) {
	got := language{sentences: []string{"A.", "B.", "C.", "D."}}.passages()
	want := []string{"A. B. C.", "B. C. D.", "C. D. A.", "D. A. B."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// axis is a vector of a few numbers, the rest 0.
func axis(numbers ...float64) []float64 {
	return append(numbers, make([]float64, neutral.Dimensions-len(numbers))...)
}

func TestConstantsAreCentresAndDirections(t *testing.T) {
	queries := [][]float64{axis(1, 3), axis(1, -3)}
	passages := [][]float64{axis(2, 1, 4), axis(2, -1, -4)}
	rows := decode(t, constants(queries, passages))
	want := [][]float64{axis(1), axis(2), axis(0, 1), axis(0, 0, 1)}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
}

func decode(t *testing.T, text []byte) [][]float64 {
	t.Helper()
	var data []byte
	for line := range bytes.Lines(text) {
		var err error
		if data, err = base64.StdEncoding.AppendDecode(data, bytes.TrimSpace(line)); err != nil {
			t.Fatal(err)
		}
	}
	numbers := make([]float32, len(data)/4)
	if _, err := binary.Decode(data, binary.LittleEndian, numbers); err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	for start := 0; start < len(numbers); start += neutral.Dimensions {
		var row []float64
		for _, x := range numbers[start : start+neutral.Dimensions] {
			row = append(row, float64(x))
		}
		rows = append(rows, row)
	}
	return rows
}

func TestOrthonormalSpansTheSame(t *testing.T) {
	vectors := [][]float64{axis(1, 2, 3), axis(2, 4, 6), axis(0, 1, 1e-3), axis(1, 3, 3+1e-3), axis(0, 0, 0, 5)}
	basis := orthonormal(vectors)
	if len(basis) != 3 {
		t.Fatalf("%d vectors, want 3: two depend on others", len(basis))
	}
	for i, a := range basis {
		for j, b := range basis[:i+1] {
			want := 0.0
			if i == j {
				want = 1
			}
			if got := dot(a, b); math.Abs(got-want) > 1e-12 {
				t.Errorf("vectors %d and %d have inner product %v", i, j, got)
			}
		}
	}
	for i, v := range vectors {
		inside := 0.0
		for _, b := range basis {
			inside += dot(v, b) * dot(v, b)
		}
		if whole := dot(v, v); math.Abs(inside-whole) > 1e-9*whole {
			t.Errorf("of vector %d with squared length %v, %v is in the basis", i, whole, inside)
		}
	}
}
