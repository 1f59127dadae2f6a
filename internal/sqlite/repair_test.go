package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// userTables are the tables that only users fill.
var userTables = []string{"entities", "observations", "relations"}

// renames is the damage that changes a name, too.
const renames = "documented words out of step"

// verifyCheck is the only check that finds something.
func verifyCheck(t *testing.T, path string) string {
	t.Helper()
	report := verify(t, path)
	if len(report.Findings) != 1 {
		return report.String()
	}
	return report.Findings[0].Check
}

// Vectors are as before where they can be.
func TestRepairKeepsVectors(t *testing.T) {
	path := sound(t)
	vectors := only(contents(t, path), "passage_vectors", "embedding_state")
	coarse := query(t, path, "SELECT rowid, shard, hex(embedding) FROM passage_embeddings ORDER BY rowid")
	execute(t, path, "UPDATE passage_embeddings_chunks SET validity = zeroblob(length(validity))")
	if _, err := sqlite.Repair(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	equal(t, "vectors", only(contents(t, path), "passage_vectors", "embedding_state"), vectors)
	equal(t, "coarse vectors", query(t, path, "SELECT rowid, shard, hex(embedding) FROM passage_embeddings ORDER BY rowid"), coarse)
	execute(t, path, "DELETE FROM passage_vectors WHERE passage_id = 1")
	if _, err := sqlite.Repair(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if report := verify(t, path); !report.OK() || report.Pending.Passages != 1 {
		t.Errorf("report: %+v", report)
	}
}

// Copies made before repairs and before migrations count alike; what the user
// named otherwise stays.
func TestRepairsKeepTheNewestBackups(t *testing.T) {
	path := sound(t)
	old := path + ".bak-3-20200101T000000Z"
	kept := []string{path + ".bak-mine", path + ".bak-7-20200101T000000Z.old", path + ".bak-part2"}
	for _, name := range append([]string{old}, kept...) {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var made []string
	for range 12 {
		execute(t, path, "DROP INDEX idx_obs_entity")
		done, err := sqlite.Repair(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(done.Backup); err != nil {
			t.Fatalf("the copy just made: %v", err)
		}
		made = append(made, done.Backup)
	}
	want := append(made[len(made)-5:], kept...)
	slices.Sort(want)
	equal(t, "backups", backups(t, path), want)
}

// A clock that was set back makes copies look older than they are.
func TestRepairKeepsTheBackupJustMade(t *testing.T) {
	path := sound(t)
	for i := range 6 {
		if err := os.WriteFile(fmt.Sprintf("%s.bak-7-2999010%dT000000Z", path, i+1), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	execute(t, path, "DROP INDEX idx_obs_entity")
	done, err := sqlite.Repair(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(done.Backup); err != nil {
		t.Error(err)
	}
	equal(t, "backups", len(backups(t, path)), 5)
}

func TestRepairIndexesWhatIsOutdated(t *testing.T) {
	path := sound(t)
	execute(t, path, "UPDATE observations SET content = 'plays the viola' WHERE id = 1", "UPDATE db_metadata SET value = 'older' WHERE key = 'index_format'")
	done, err := sqlite.Repair(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "done", done, sqlite.Repairs{Reindexed: 5})
	if report := verify(t, path); !report.OK() || report.Pending.Entities != 0 || report.Pending.Passages != 1 {
		t.Errorf("report: %+v", report)
	}
	equal(t, "indexed", query(t, path, "SELECT rowid FROM entity_terms WHERE entity_terms MATCH 'viola'"), []string{"1"})
}

// Names are left to people, and so is the rest of such a database.
func TestRepairLeavesNames(t *testing.T) {
	path := sound(t)
	db := open(t, path)
	add(t, db, " Carlos")
	done, err := sqlite.Repair(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "done", done, sqlite.Repairs{})
}

func TestRepairBesideAServer(t *testing.T) {
	path := sound(t)
	db := open(t, path)
	add(t, db, "Hugo", "sails")
	execute(t, path, "DELETE FROM entity_terms", "DROP TRIGGER mark_entity_delete", "DELETE FROM passage_embeddings")
	if _, err := sqlite.Repair(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if report := verify(t, path); !report.OK() {
		t.Errorf("report: %+v", report)
	}
	add(t, db, "Inés", "sails, too")
	err := db.View(t.Context(), func(r memory.Reader) error {
		matches, err := r.MatchAny(t.Context(), memory.Entities, []memory.WeighedWord{{Terms: []string{"sail", "sails"}, IDF: 1}}, memory.Filter{}, 10)
		equal(t, "matches", len(matches), 2)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if report := verify(t, path); !report.OK() {
		t.Errorf("report: %+v", report)
	}
}

// A database of the Python server's version 3 has a column that refers to other
// observations.
func TestRepairOfSupersededObservations(t *testing.T) {
	path := unpack(t, "v3")
	openAndClose(t, path)
	want := query(t, path, "SELECT id, content FROM observations ORDER BY id")
	execute(t, path, "UPDATE observations SET supersedes = 99999 WHERE id IN (SELECT id FROM observations ORDER BY id LIMIT 2)")
	report := verify(t, path)
	if len(report.Findings) != 1 || report.Findings[0].Check != sqlite.CheckForeignKeys || report.Findings[0].Count != 2 {
		t.Errorf("findings: %v", report)
	}
	if _, err := sqlite.Repair(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if report := verify(t, path); !report.OK() {
		t.Errorf("after the repair: %v", report)
	}
	equal(t, "observations", query(t, path, "SELECT id, content FROM observations ORDER BY id"), want)
}

func TestSurvey(t *testing.T) {
	current := sound(t)
	adopted := unpack(t, "seed")
	empty := filepath.Join(t.TempDir(), "empty.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	if err := os.WriteFile(damaged, []byte(readFile(t, current)[:8192]), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]sqlite.Overview{
		current: {Version: sqlite.LatestVersion(), Passages: 15, Models: []sqlite.ModelCount{{Model: memory.VectorsOf(testModel), Count: 15}}, Whole: []sqlite.ModelCount{{Model: memory.WholeVectorsOf(testModel), Count: 5}}},
		adopted: {Adopted: true},
		empty:   {Empty: true},
		damaged: {Damaged: true},
	} {
		before := fileTexts(t, path)
		got, err := sqlite.Survey(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		equal(t, path, got, want)
		if got.Current() != (path == current) {
			t.Errorf("%s: current: %v", path, got.Current())
		}
		equal(t, "files", fileTexts(t, path), before)
	}
	if _, err := sqlite.Survey(t.Context(), filepath.Join(t.TempDir(), "none.db")); !errors.Is(err, sqlite.ErrNoDatabase) {
		t.Errorf("a missing file: %v", err)
	}
	execute(t, adopted, "ALTER TABLE observations RENAME COLUMN content TO text")
	if _, err := sqlite.Survey(t.Context(), adopted); err == nil {
		t.Error("tables of another program were taken for a memory")
	}
}
