//go:build !race

// Servers that do one thing after the other: nothing for the race detector, which makes them take long.

package torture

import (
	"path/filepath"
	"strings"
	"testing"
)

// What the harness is there to find, it finds.
func TestFindings(t *testing.T) {
	for name, tc := range map[string]struct{ damage, finding string }{
		"lost entity":         {"PRAGMA foreign_keys = ON; DELETE FROM entities WHERE id = (SELECT min(id) FROM entities)", "lost: entity"},
		"lost observation":    {"DELETE FROM observations WHERE id = (SELECT max(id) FROM observations)", "has observations"},
		"observation twice":   {"INSERT INTO observations (entity_id, content) SELECT entity_id, content FROM observations LIMIT 1", "has observations"},
		"changed type":        {"UPDATE entities SET entity_type = 'other' WHERE id = (SELECT max(id) FROM entities)", "has type"},
		"lost relation":       {"DELETE FROM relations WHERE id = (SELECT max(id) FROM relations)", "lost: relation"},
		"surplus entity":      {"INSERT INTO entities (name) VALUES ('t/surplus')", "surplus: entity"},
		"orphan":              {"INSERT INTO observations (entity_id, content) VALUES (999999, 'x')", "belongs to no entity"},
		"index out of step":   {"UPDATE entity_text SET folded = 'x'", "entity-text"},
		"nothing of the sort": {"SELECT 1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			r := &run{Options: options(t)}
			r.dir, r.noModel = r.Folder, filepath.Join(r.Folder, "no-model")
			w := newWorker(newAuthor("t/", r.random(1)), setup{db: filepath.Join(r.Folder, "memory.db")})
			if err := r.revive(ctx, w); err != nil {
				t.Fatal(err)
			}
			if err := w.write(ctx, 30, 4); err != nil {
				t.Fatal(err)
			}
			if err := w.server.stop(); err != nil {
				t.Fatal(err)
			}
			db, err := open(w.setup.db, "rw")
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.ExecContext(ctx, tc.damage); err != nil {
				t.Fatal(err)
			}
			_, err = checkAll(ctx, []*worker{w})
			if (err == nil) != (tc.finding == "") || err != nil && !strings.Contains(err.Error(), tc.finding) {
				t.Errorf("error %v, want one about %q", err, tc.finding)
			}
		})
	}
}
