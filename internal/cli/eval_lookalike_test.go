//go:build !race

// One call after the other: nothing for the race detector, which makes it take long.

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Numbers that look like the one asked for are as near in meaning as can be, and may
// be names of memories. The one memory that holds it comes first all the same.
func TestNumbersThatLookAlike(t *testing.T) {
	model := os.Getenv("MCP_MEMORY_TEST_MODEL_DIR")
	if model == "" {
		t.Fatal("this test needs the embedding model: run `make test`, or set MCP_MEMORY_TEST_MODEL_DIR")
	}
	for _, format := range []string{"PROJ-%d", "E0%d", "INC%d"} {
		t.Run(format, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			var memory, questions []any
			add := func(list *[]any, fields ...any) {
				m := map[string]any{}
				for i := 0; i < len(fields); i += 2 {
					m[fields[i].(string)] = fields[i+1]
				}
				*list = append(*list, m)
			}
			for i := range 40 {
				name := fmt.Sprintf(format, 1500+i)
				add(&memory, "type", "entity", "name", name, "entityType", "ticket", "observations", []string{"the export is slow"})
			}
			var log []string
			for i := range 12 {
				code := fmt.Sprintf(format, 1600+7*i)
				log = append(log, fmt.Sprintf("Ana closes %s because the theme was never broken", code))
				add(&questions, "id", "bare "+code, "question", code, "answers", []string{"Weekly meeting"})
				add(&questions, "id", "asked "+code, "question", "who closed "+code+"?", "answers", []string{"Weekly meeting"})
			}
			add(&memory, "type", "entity", "name", "Weekly meeting", "entityType", "meeting", "observations", log)
			dir := t.TempDir()
			writeLines(t, filepath.Join(dir, "memory.jsonl"), memory)
			writeLines(t, filepath.Join(dir, "questions.jsonl"), questions)

			var out bytes.Buffer
			args := []string{"eval", dir, "--json", "--model-dir", model}
			if code := (Program{}).Run(t.Context(), args, strings.NewReader(""), &out, t.Output()); code != exitOK {
				t.Fatalf("exit %d", code)
			}
			var report struct {
				Runs []struct {
					All struct {
						Hit1 float64 `json:"hit@1"`
					} `json:"all"`
					Honesty struct {
						Weak int `json:"right_top_weak"`
					} `json:"honesty"`
				} `json:"runs"`
			}
			if err := json.Unmarshal(out.Bytes(), &report); err != nil {
				t.Fatal(err)
			}
			if len(report.Runs) != 1 || report.Runs[0].All.Hit1 != 1 || report.Runs[0].Honesty.Weak != 0 {
				t.Errorf("not all of %d questions are answered first, and none weakly: %s", len(questions), out.String())
			}
		})
	}
}

func writeLines(t *testing.T, path string, values []any) {
	t.Helper()
	var b bytes.Buffer
	for _, v := range values {
		if err := json.NewEncoder(&b).Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
