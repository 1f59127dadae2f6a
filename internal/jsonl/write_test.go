package jsonl_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/jsonl"
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	var b strings.Builder
	w := jsonl.NewWriter(&b)
	entities := []jsonl.Entity{
		{Name: "Faro <&>\u2028", Type: "Project", Observations: []string{"牡蛎\n", "\"x\""}},
		{Name: "Ana", Type: "Person"},
	}
	relation := jsonl.Relation{From: "Ana", To: "Faro", Type: "leads"}
	for _, e := range entities {
		if err := w.Entity(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Relation(relation); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	want := `{"type":"entity","name":"Faro <&>\u2028","entityType":"Project","observations":["牡蛎\n","\"x\""]}
{"type":"entity","name":"Ana","entityType":"Person","observations":[]}
{"type":"relation","from":"Ana","to":"Faro","relationType":"leads"}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	entities[1].Observations = []string{}
	var got []jsonl.Record
	for r, err := range jsonl.Read(strings.NewReader(b.String()), jsonl.Limits{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	records := []jsonl.Record{{Line: 1, Entity: &entities[0]}, {Line: 2, Entity: &entities[1]}, {Line: 3, Relation: &relation}}
	if diff := cmp.Diff(records, got); diff != "" {
		t.Errorf("read again (-want +got):\n%s", diff)
	}
}
