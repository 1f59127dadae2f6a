package evaluation_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/evaluation"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestText(t *testing.T) {
	run := sample(t)
	for name, write := range map[string]func(io.Writer) error{
		"summary": func(w io.Writer) error { return evaluation.WriteSummary(w, evaluation.Summarise(run)) },
		"comparison": func(w io.Writer) error {
			return evaluation.WriteComparison(w, compare(t, ranked(2, 3, 2, 2, 2, 2, 2, 1, 0, 5), ranked(1, 1, 1, 1, 1, 1, 1, 2, 10, 5)))
		},
		"calibration": func(w io.Writer) error {
			return evaluation.WriteCalibration(w, calibrate(t, trial("first set", 1), trial("second", 5)))
		},
		"ranking": func(w io.Writer) error { return evaluation.WriteRanking(w, run) },
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := write(&got); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s (go test -update writes it anew): %s", golden, diff)
			}
		})
	}
}
