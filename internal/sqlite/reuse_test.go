//go:build !race

// Edits one after the other: nothing for the race detector.

package sqlite_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/internal/memory"
)

// Rows of passages, and the room of their vectors, are used again.
func TestEditsReusePassages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db := open(t, path)
	ctx := t.Context()
	random := rand.New(rand.NewPCG(1, 2))
	sentence := func() string { return fmt.Sprintf("sentence %d%s", random.Int(), strings.Repeat(" and so on", 20)) }
	edit := func() {
		err := db.Update(ctx, func(w memory.Writer) error {
			ids, _, err := w.EntityPage(ctx, 1000, 0)
			for _, id := range ids {
				if random.IntN(3) == 0 {
					err = errors.Join(err, w.DeleteEntity(ctx, id))
				}
			}
			for range 100 - len(ids) + len(ids)/3 {
				id, insertErr := w.InsertEntity(ctx, fmt.Sprintf("entity %d", random.Int()), "Note")
				_, observationsErr := w.InsertObservations(ctx, id, []string{sentence(), sentence(), sentence()})
				ids, err = append(ids, id), errors.Join(err, insertErr, observationsErr)
			}
			if err := errors.Join(err, w.Reindex(ctx, ids)); err != nil {
				return err
			}
			embedDue(t, w, "m")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var sizes []int64
	for range 4 {
		for range 10 {
			edit()
		}
		sizes = append(sizes, fileSize(t, path))
	}
	if sizes[3] > sizes[0]+sizes[0]/4 {
		t.Errorf("the file grows with edits: %d", sizes)
	}
	equal(t, "chunks", query(t, path, "SELECT count(*) FROM passage_embeddings_chunks"), []string{"1"})
	repaired, err := db.CheckText(ctx)
	equal(t, "to repair", repaired, 0)
	if err != nil {
		t.Error(err)
	}
}
