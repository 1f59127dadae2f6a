package memory_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
)

// undoable has everything that a change could lose: times, order, use, relations of
// all kinds, and what older servers stored twice.
const undoable = `{"format":"mcp-memory","version":1,
"entities":[
{"name":"Ana","entityType":"person","createdAt":"2024-01-01 10:00:00","updatedAt":"2024-02-02 10:00:00","access":{"count":41,"lastAccess":"2024-03-03 10:00:00"},"observations":[{"content":"first","createdAt":"2024-01-01 10:00:00"},{"content":"second","createdAt":"2024-01-02 10:00:00"},{"content":"third","createdAt":"2024-01-03 10:00:00"}]},
{"name":"Faro","entityType":"project","createdAt":"2024-01-04 10:00:00","updatedAt":"2024-01-05 10:00:00","access":{"count":2,"lastAccess":"2024-01-06 10:00:00"},"observations":[{"content":"a lighthouse","createdAt":"2024-01-04 10:00:00"}]},
{"name":"Lumen","entityType":"company","createdAt":"2024-01-07 10:00:00","updatedAt":"2024-01-08 10:00:00","observations":[]}
],"relations":[
{"from":"Ana","to":"Faro","relationType":"leads","createdAt":"2024-01-09 10:00:00"},
{"from":"Lumen","to":"Ana","relationType":"employs","createdAt":"2024-01-10 10:00:00"},
{"from":"Ana","to":"Ana","relationType":"knows","createdAt":"2024-01-11 10:00:00"},
{"from":"Lumen","to":"Faro","relationType":"pays","createdAt":"2024-01-12 10:00:00"}
],"coOccurrences":[
{"a":"Ana","b":"Faro","count":7,"lastTogether":"2024-01-13 10:00:00"},
{"a":"Faro","b":"Lumen","count":1,"lastTogether":"2024-01-14 10:00:00"}
]}`

// documentOf is the memory as a document without vectors.
func documentOf(t *testing.T, b *bundle) string {
	t.Helper()
	var text bytes.Buffer
	if _, err := b.ExportDocument(t.Context(), &text, false); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// change is a write that must succeed.
type change func(ctx context.Context, b *bundle) error

func deleteEntities(names ...string) change {
	return func(ctx context.Context, b *bundle) error {
		_, _, err := b.DeleteEntities(ctx, names)
		return err
	}
}

func createEntity(name, entityType string, observations ...string) change {
	return func(ctx context.Context, b *bundle) error {
		_, err := b.CreateEntities(ctx, []memory.NewEntity{{Name: name, Type: &entityType, Observations: observations}})
		return err
	}
}

func addObservations(name string, contents ...string) change {
	return func(ctx context.Context, b *bundle) error {
		_, err := b.AddObservations(memory.WithoutUse(ctx), []memory.ObservationSet{{Name: name, Contents: contents}})
		return err
	}
}

func deleteObservations(name string, contents ...string) change {
	return func(ctx context.Context, b *bundle) error {
		_, err := b.DeleteObservations(ctx, []memory.ObservationSet{{Name: name, Contents: contents}})
		return err
	}
}

func createRelation(from, relationType, to string) change {
	return func(ctx context.Context, b *bundle) error {
		_, err := b.CreateRelations(ctx, []memory.Relation{{From: from, To: to, Type: relationType}})
		return err
	}
}

func deleteRelation(from, relationType, to string) change {
	return func(ctx context.Context, b *bundle) error {
		_, _, err := b.DeleteRelations(ctx, []memory.Relation{{From: from, To: to, Type: relationType}})
		return err
	}
}

// journaled makes changes and returns the journal of all of them.
func journaled(t *testing.T, b *bundle, changes ...change) memory.Journal {
	t.Helper()
	var j memory.Journal
	for _, c := range changes {
		if err := c(memory.WithJournal(t.Context(), &j), b); err != nil {
			t.Fatal(err)
		}
	}
	return j
}

func undo(t *testing.T, b *bundle, j memory.Journal) (left memory.Journal) {
	t.Helper()
	left, err := b.Undo(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// Whatever was changed, undoing it leaves the memory as it was, to the byte.
func TestUndo(t *testing.T) {
	for name, changes := range map[string][]change{
		"delete an entity":         {deleteEntities("Ana")},
		"delete several at once":   {deleteEntities("Faro", "Ana", "Lumen")},
		"delete one by one":        {deleteEntities("Ana"), deleteEntities("Faro")},
		"delete observations":      {deleteObservations("Ana", "second", "first")},
		"add observations":         {addObservations("Ana", "fourth", "first")},
		"delete a relation":        {deleteRelation("Ana", "leads", "Faro")},
		"create an entity":         {createEntity("New", "T", "x", "y")},
		"create and relate":        {createEntity("New", "T", "x"), createRelation("New", "at", "Ana")},
		"retype and add":           {createEntity("Ana", "engineer", "fourth", "first")},
		"relate":                   {createRelation("Faro", "of", "Ana")},
		"relate what is related":   {createRelation("Ana", "leads", "Faro")},
		"change an observation":    {createEntity("Ana", "person", "2nd"), deleteObservations("Ana", "second")},
		"delete and create anew":   {deleteEntities("Ana"), createEntity("Ana", "other", "else")},
		"delete what is not there": {deleteEntities("Nobody"), deleteRelation("Ana", "hates", "Faro")},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBundle(t)
			imported(t, b.Service, undoable)
			before := documentOf(t, b)
			left := undo(t, b, journaled(t, b, changes...))
			if !left.Empty() {
				t.Error("something is left")
			}
			if diff := cmp.Diff(before, documentOf(t, b)); diff != "" {
				t.Errorf("after undoing (-want +got):\n%s", diff)
			}
			if page, err := b.SearchNodes(t.Context(), "second", 9, 0); err != nil || page.Total != 1 {
				t.Errorf("searching: %d found, %v; want 1", page.Total, err)
			}
		})
	}
}

// What others write before something is undone stays.
func TestUndoKeepsWhatOthersWrote(t *testing.T) {
	for name, tc := range map[string]struct {
		changes, others []change
		want            []string // lines of the document
		gone            []string
	}{
		"the name is taken": {
			[]change{deleteEntities("Ana")},
			[]change{createEntity("Ana", "robot", "newer", "second"), createRelation("Ana", "leads", "Faro")},
			[]string{`"entityType":"robot"`, `"content":"first"`, `"content":"newer"`, `"relationType":"employs"`, `"count":7`, `"relationType":"knows"`},
			nil,
		},
		"an added observation was deleted": {
			[]change{createEntity("Ana", "person", "fourth")},
			[]change{deleteObservations("Ana", "fourth"), createEntity("Ana", "person", "fifth")},
			[]string{`"content":"fifth"`},
			[]string{`"content":"fourth"`},
		},
		"the type was changed again": {
			[]change{createEntity("Ana", "engineer")},
			[]change{createEntity("Ana", "captain")},
			[]string{`"entityType":"captain"`},
			[]string{`"entityType":"engineer"`, `"entityType":"person"`},
		},
		"a deleted observation was added again": {
			[]change{deleteObservations("Ana", "second")},
			[]change{createEntity("Ana", "person", "second")},
			[]string{`"content":"second"`},
			nil,
		},
		"a relation's end is gone": {
			[]change{deleteRelation("Ana", "leads", "Faro")},
			[]change{deleteEntities("Faro")},
			[]string{`"name":"Ana"`},
			[]string{`"relationType":"leads"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBundle(t)
			imported(t, b.Service, undoable)
			j := journaled(t, b, tc.changes...)
			journaled(t, b, tc.others...)
			undo(t, b, j)
			got := documentOf(t, b)
			for _, text := range tc.want {
				if strings.Count(got, text) != 1 {
					t.Errorf("%s is there %d times in\n%s", text, strings.Count(got, text), got)
				}
			}
			for _, text := range tc.gone {
				if strings.Contains(got, text) {
					t.Errorf("%s is there in\n%s", text, got)
				}
			}
		})
	}
}

// What cannot be undone without loss is refused, and nothing is changed.
func TestUndoRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		change, other change
		check         func(error) bool
	}{
		"others added to a new entity": {createEntity("New", "T", "x"), createEntity("New", "T", "y"), func(err error) bool {
			changed, ok := errors.AsType[*memory.ChangedError](err)
			return ok && changed.Name == "New"
		}},
		"the entity is gone": {deleteObservations("Ana", "first"), deleteEntities("Ana"), func(err error) bool {
			missing, ok := errors.AsType[*memory.NotFoundError](err)
			return ok && missing.Name == "Ana"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBundle(t)
			imported(t, b.Service, undoable)
			j := journaled(t, b, tc.change)
			journaled(t, b, tc.other)
			before := documentOf(t, b)
			if _, err := b.Undo(t.Context(), j); !tc.check(err) {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(before, documentOf(t, b)); diff != "" {
				t.Errorf("changed all the same (-before +after):\n%s", diff)
			}
		})
	}
}

// In whatever order deletions are undone, in the end all is back.
func TestUndoInAnyOrder(t *testing.T) {
	for _, firstFirst := range []bool{true, false} {
		b := newBundle(t)
		imported(t, b.Service, undoable)
		before := documentOf(t, b)
		one, other := journaled(t, b, deleteEntities("Ana")), journaled(t, b, deleteEntities("Faro"))
		if !firstFirst {
			one, other = other, one
		}
		left := undo(t, b, one)
		if left = undo(t, b, left.Join(other)); !left.Empty() {
			t.Error("something is left")
		}
		if diff := cmp.Diff(before, documentOf(t, b)); diff != "" {
			t.Errorf("first first: %v (-want +got):\n%s", firstFirst, diff)
		}
	}
}

// A write that fails leaves no trace in the journal.
func TestJournalOfFailedWrites(t *testing.T) {
	b := newBundle(t)
	b.create(t, "A", "T", "x")
	var j memory.Journal
	ctx := memory.WithJournal(t.Context(), &j)
	refused := memory.WithConsent(ctx, func() bool { return false })
	if _, _, err := b.DeleteEntities(refused, []string{"A"}); err == nil {
		t.Error("a refused write succeeded")
	}
	sets := []memory.ObservationSet{{Name: "A", Contents: []string{"y"}}, {Name: "Nobody"}}
	if _, err := b.AddObservations(ctx, sets); err == nil {
		t.Error("adding to nobody succeeded")
	}
	if !j.Empty() || j.Size() != 0 {
		t.Error("the journal is not empty")
	}
	if err := deleteEntities("A")(ctx, b); err != nil || j.Empty() || j.Size() == 0 {
		t.Errorf("after a write: empty %v, size %d, %v", j.Empty(), j.Size(), err)
	}
}
