package neutral_test

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcp-memory/internal/neutral"
)

const tolerance = 1e-5

var space = neutral.E5Small()

func dot(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func drawVector(t *rapid.T, label string) []float32 {
	v := rapid.SliceOfN(rapid.Float32Range(-1, 1), neutral.Dimensions, neutral.Dimensions).Draw(t, label)
	if dot(v, v) == 0 {
		v[0] = 1
	}
	return v
}

// unitOf scales a vector to length 1.
func unitOf(v []float32) []float32 {
	n := math.Sqrt(dot(v, v))
	unit := make([]float32, len(v))
	for i, x := range v {
		unit[i] = float32(float64(x) / n)
	}
	return unit
}

func TestNeutralVectorsAreUnitVectorsWithoutLanguage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawVector(t, "vector")
		before := slices.Clone(v)
		for kind, got := range map[string][]float32{"passage": space.Passage(v), "query": space.Query(v)} {
			if len(got) != neutral.Dimensions || math.Abs(dot(got, got)-1) > tolerance {
				t.Fatalf("%s: %d numbers of squared length %v", kind, len(got), dot(got, got))
			}
			for i, d := range space.Directions() {
				if along := dot(got, d); math.Abs(along) > tolerance {
					t.Fatalf("%s: %v left in direction %d", kind, along, i)
				}
			}
		}
		if !slices.Equal(v, before) {
			t.Fatal("the vector was changed")
		}
	})
}

func TestLengthOfTheVectorDoesNotCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawVector(t, "vector")
		longer := slices.Clone(v)
		factor := rapid.Float32Range(0.1, 100).Draw(t, "factor")
		for i := range longer {
			longer[i] *= factor
		}
		if c := dot(space.Passage(v), space.Passage(longer)); c < 1-tolerance {
			t.Fatalf("cosine %v to the neutral vector of the same times %v", c, factor)
		}
	})
}

func TestProjectionTwiceIsProjectionOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		once := drawVector(t, "vector")
		space.Project(once)
		twice := slices.Clone(once)
		space.Project(twice)
		for i := range once {
			if math.Abs(float64(once[i]-twice[i])) > tolerance {
				t.Fatalf("number %d is %v, then %v", i, once[i], twice[i])
			}
		}
	})
}

// Stores keep the vectors of passages as the model made them.
func TestNeutralCosineFollowsFromOffsetAndLength(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := unitOf(drawVector(t, "passage"))
		free, q := space.Passage(p), space.Query(drawVector(t, "query"))
		got := (dot(q, p) - space.Offset(q)) / space.Length(p, free)
		if want := dot(q, free); math.Abs(got-want) > tolerance {
			t.Fatalf("cosine %v, want %v", got, want)
		}
	})
}

func TestDirectionsAreOrthonormal(t *testing.T) {
	directions := space.Directions()
	if len(directions) != 26 { // 13 differences between 14 languages, of questions and of passages
		t.Errorf("%d directions", len(directions))
	}
	for i, a := range directions {
		for j, b := range directions[:i+1] {
			want := 0.0
			if i == j {
				want = 1
			}
			if got := dot(a, b); math.Abs(got-want) > tolerance {
				t.Errorf("directions %d and %d have inner product %v", i, j, got)
			}
		}
	}
}

func TestOddVectorsGiveZeros(t *testing.T) {
	with := func(x float32) []float32 {
		v := make([]float32, neutral.Dimensions)
		v[3], v[7] = 1, x
		return v
	}
	tests := map[string][]float32{
		"none":         nil,
		"short":        with(1)[:10],
		"long":         append(with(1), 1),
		"zeros":        make([]float32, neutral.Dimensions),
		"no number":    with(float32(math.NaN())),
		"infinite":     with(float32(math.Inf(-1))),
		"all language": allLanguage(),
	}
	zeros := make([]float32, neutral.Dimensions)
	for name, v := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(zeros, space.Passage(v)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// allLanguage is a unit vector that differs from the mean of passages in a
// direction of languages only.
func allLanguage() []float32 {
	centre, direction := space.PassageCentre(), space.Directions()[0]
	along := dot(centre, direction)
	step := -along + math.Sqrt(along*along+1-dot(centre, centre))
	v := slices.Clone(centre)
	for i := range v {
		v[i] += float32(step) * direction[i]
	}
	return v
}

func TestHugeAndTinyVectorsHaveADirection(t *testing.T) {
	v := make([]float32, neutral.Dimensions)
	v[5] = 1
	want := space.Passage(v)
	for _, x := range []float32{math.MaxFloat32, 1e-20} {
		v[5] = x
		if c := dot(want, space.Passage(v)); c < 1-tolerance {
			t.Errorf("%v: cosine %v to the neutral vector of the same direction", x, c)
		}
	}
}

// Vectors of one version are compared with each other: another file needs
// another Version.
func TestVersionNamesTheConstants(t *testing.T) {
	file, err := os.ReadFile("e5small.txt")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(file)
	got := neutral.Version + " " + hex.EncodeToString(sum[:])
	if want := "1 4827efe9630b2c14afc556e357ce81022d0f5cd6b15fb6ca455e5427e94c1147"; got != want {
		t.Errorf("constants are %s, want %s", got, want)
	}
}
