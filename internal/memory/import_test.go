package memory_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
)

func writeFile(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestImport(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Base", "Máquina", "propia")
	path := writeFile(t,
		`{"type":"relation","from":"Servidor","to":"Base","relationType":"usa"}`,
		`{"type":"entity","name":"Servidor","entityType":"Sistema","observations":["corre en Debian"]}`,
		`{"type":"entity","name":"Base","observations":["propia","en modo WAL"]}`,
		`{"type":"_marker"}`,
		`not json`,
		`{"type":"relation","from":"Servidor","to":"Nadie","relationType":"usa"}`,
	)
	want := memory.ImportReport{Entities: 2, Relations: 1, Errors: 1, Skipped: 2}
	for run, relations := range []int{1, 0} {
		want.Relations = relations
		got, err := b.Import(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		lines := []int{}
		for _, p := range got.Problems {
			lines = append(lines, p.Line)
		}
		if diff := cmp.Diff([]int{4, 5, 6}, lines); diff != "" {
			t.Errorf("run %d: lines with problems (-want +got):\n%s", run, diff)
		}
		got.Problems = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("run %d (-want +got):\n%s", run, diff)
		}
	}
	graph, err := b.OpenNodes(t.Context(), []string{"Base"})
	if err != nil {
		t.Fatal(err)
	}
	if e := graph.Entities[0]; e.Type != "Máquina" || !cmp.Equal(e.Observations, []string{"propia", "en modo WAL"}) {
		t.Errorf("Base = %q %q, want its own type and merged observations", e.Type, e.Observations)
	}
	if diff := cmp.Diff([]memory.Relation{{From: "Servidor", To: "Base", Type: "usa"}}, graph.Relations); diff != "" {
		t.Errorf("relations (-want +got):\n%s", diff)
	}
	if page, err := b.SearchNodes(t.Context(), "debian", 1, 0); err != nil || page.Total != 1 {
		t.Errorf("an imported observation is not found: %d, %v", page.Total, err)
	}
}

// TestImportMergesLookalikes of JSON lines: nothing of theirs is lost, and it is told.
func TestImportMergesLookalikes(t *testing.T) {
	b := newBundle(t)
	path := writeFile(t,
		`{"type":"entity","name":"Jos\u00e9","entityType":"person","observations":["one"]}`,
		`{"type":"entity","name":"Jose\u0301","observations":["two","one"]}`,
		`{"type":"entity","name":" Jos\u00e9 ","observations":["three"]}`,
		`{"type":"entity","name":"jos\u00e9","observations":["another's"]}`,
		`{"type":"entity","name":"Jose","observations":["a third's"]}`,
		`{"type":"entity","name":"Jos\u00e9","observations":["four"]}`,
		`{"type":"relation","from":"Jos\u00e9","to":"jos\u00e9","relationType":"knows"}`,
		`{"type":"relation","from":"Jose\u0301","to":"jos\u00e9","relationType":"knows"}`,
		`{"type":"relation","from":" Jose\u0301","to":"Jose","relationType":"knows"}`,
	)
	const merged = "name: it looks the same as that of line 1, and the two are merged into one entity"
	want := memory.ImportReport{Entities: 6, Relations: 2, Altered: 2, Problems: []memory.ImportProblem{{Line: 2, Reason: merged}, {Line: 3, Reason: merged}}}
	got, err := b.Import(t.Context(), path)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	page, err := b.ReadGraph(t.Context(), 10, 0)
	if err != nil {
		t.Fatal(err)
	}
	entities := map[string][]string{}
	for _, e := range page.Graph.Entities {
		entities[e.Name] = e.Observations
	}
	if diff := cmp.Diff(map[string][]string{
		"Jos\u00e9": {"one", "two", "three", "four"}, "jos\u00e9": {"another's"}, "Jose": {"a third's"},
	}, entities); diff != "" {
		t.Errorf("entities (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]memory.Relation{{From: "Jos\u00e9", To: "jos\u00e9", Type: "knows"}, {From: "Jos\u00e9", To: "Jose", Type: "knows"}}, page.Graph.Relations); diff != "" {
		t.Errorf("relations (-want +got):\n%s", diff)
	}
}

func TestImportListsTheFirstProblemsAndCountsAll(t *testing.T) {
	b := newBundle(t)
	got, err := b.Import(t.Context(), writeFile(t, strings.Split(strings.Repeat("broken\n", 50)+"[]", "\n")...))
	if err != nil {
		t.Fatal(err)
	}
	if got.Errors != 51 || len(got.Problems) != 20 {
		t.Errorf("%d errors, %d listed; want 51 and 20", got.Errors, len(got.Problems))
	}
}

// TestImportRefusesWhatIsNoMemory and changes nothing. One record, or something
// that might be one, is enough.
func TestImportRefusesWhatIsNoMemory(t *testing.T) {
	const (
		database = "is a database, not a file to import."
		other    = "is not a memory file: there is no JSON record in it "
	)
	b := newBundle(t)
	for content, want := range map[string]string{
		"SQLite format 3\x00\x10\x00\x01\x01":                                      database,
		"SQLite format 3\x00" + `{"type":"entity","name":"A"}`:                     database,
		"# Notes\n\n- some\n- more\n":                                              other + "(line 1 is not valid JSON)",
		"\n\n  name,type\n":                                                        other + "(line 3 is not valid JSON)",
		"1\n2\n":                                                                   other + "(line 1 is a number, not an object)",
		"SQLite format 3 is what it is":                                            other + "(line 1 is not valid JSON)",
		"\x7fELF\x02\x01\x01\x00\n\xff\xfe\x00":                                    other + "(line 1 is not valid JSON)",
		`{"type":"entity","name":`:                                                 other + "(line 1 is cut off: the line ends within the record)",
		"{\n  color: red;\n}\nbody {\n  margin: 0;\n}\n":                           other + "(line 2 is not valid JSON)",
		"rubbish\n" + `{"type":"entity","name":"A"}`:                               "",
		"rubbish\n" + `{"type":"entity","name":" "}`:                               "",
		"rubbish\n" + `{"type":"relation","from":"A","to":"B","relationType":"r"}`: "",
		"rubbish\n[]":                                                              "",
		`{"name":"a program","version":"1"}`:                                       "",
		"":                                                                         "",
		"\n \n":                                                                    "",
	} {
		path := writeFile(t, content)
		_, err := b.Import(t.Context(), path)
		input, ok := errors.AsType[*memory.InputError](err)
		switch {
		case want == "" && err != nil:
			t.Errorf("importing %q: %v", content, err)
		case want != "" && (!ok || input.Path != "source_path" || !strings.HasPrefix(input.Reason, path+" "+want)):
			t.Errorf("importing %q: %v, want %q", content, err, want)
		}
	}
	if page, err := b.ReadGraph(t.Context(), 10, 0); err != nil || page.Total != 1 {
		t.Errorf("%d entities, %v; want A alone", page.Total, err)
	}
}

func TestImportRefusesWhatIsNoFile(t *testing.T) {
	b := newBundle(t)
	if _, err := b.Import(t.Context(), ""); !errors.Is(err, memory.ErrNoSource) {
		t.Errorf("no path: %v", err)
	}
	folder := t.TempDir()
	for _, path := range []string{folder, filepath.Join(folder, "missing"), "   ", "/dev/null", "a\x00b"} {
		_, err := b.Import(t.Context(), path)
		var input *memory.InputError
		if !errors.As(err, &input) || input.Path != "source_path" {
			t.Errorf("importing %q: %v, want an error about source_path", path, err)
		}
	}
}
