package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/internal/memory"
)

// impatient is a context that is cancelled when it has been looked at so often.
type impatient struct {
	context.Context
	looks int
}

func (c *impatient) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// TestReindexHeedsItsEnd between entities of one page, and inside one of many
// passages.
func TestReindexHeedsItsEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db := open(t, path)
	long := strings.Repeat("a sentence of a few words that fill a window by and by. ", 2_000)
	for name, observations := range map[string][][]string{
		"many entities": {{"one"}, {"two"}, {"three"}, {"four"}, {"five"}},
		"a long entity": {{long}},
	} {
		indexed := 0
		err := db.Update(t.Context(), func(w memory.Writer) error {
			var ids []int64
			for i, contents := range observations {
				id, err := w.InsertEntity(t.Context(), fmt.Sprint(name, i), "Note")
				if err != nil {
					return err
				}
				if _, err := w.InsertObservations(t.Context(), id, contents); err != nil {
					return err
				}
				ids = append(ids, id)
			}
			err := w.Reindex(&impatient{t.Context(), 4}, ids)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: Reindex returned %v", name, err)
			}
			n, countErr := w.CountPassages(t.Context())
			indexed = n
			return errors.Join(err, countErr)
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: Update returned %v", name, err)
		}
		if indexed == 0 || indexed > 4 {
			t.Errorf("%s: %d passages were indexed in 4 looks at the context", name, indexed)
		}
	}
}
