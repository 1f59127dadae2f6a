package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pressly/goose/v3"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// documented are the tables that the Python server knows.
var documented = []string{"entities", "observations", "relations", "db_metadata", "entity_access", "co_occurrences", "entity_embeddings", "entity_fts"}

func TestDownAndUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	openAndClose(t, path)
	before := structure(t, path)
	if len(before) < len(documented) {
		t.Fatalf("only %d tables", len(before))
	}
	err := sqlite.Migrate(t.Context(), path, func(ctx context.Context, p *goose.Provider) error {
		_, err := p.DownTo(ctx, 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "structure at zero", structure(t, path), map[string][]string{})
	openAndClose(t, path)
	equal(t, "structure after down and up", structure(t, path), before)
}

func TestMigrations(t *testing.T) {
	path := unpack(t, "seed")
	before := contents(t, path)
	states := func() (list []string) {
		statuses, err := sqlite.Migrations(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range statuses {
			list = append(list, fmt.Sprint(s.Source.Path, " ", s.State))
		}
		return list
	}
	equal(t, "before", states(), []string{"00001_tables.sql pending", "00002_search.sql pending", "00003_pairs.sql pending", "00004_marks.sql pending", "00005_text.go pending", "00006_passages.sql pending", "00007_index.go pending", "00008_renewals.sql pending"})
	equal(t, "contents", contents(t, path), before)
	openAndClose(t, path)
	equal(t, "after", states(), []string{"00001_tables.sql applied", "00002_search.sql applied", "00003_pairs.sql applied", "00004_marks.sql applied", "00005_text.go applied", "00006_passages.sql applied", "00007_index.go applied", "00008_renewals.sql applied"})
}

func TestEveryQueryCompiles(t *testing.T) {
	paths := map[string]string{"fresh": filepath.Join(t.TempDir(), "memory.db")}
	for _, name := range oldDatabases {
		paths[name] = unpack(t, name)
	}
	for name, path := range paths {
		t.Run(name, func(t *testing.T) {
			openAndClose(t, path)
			raw := sqlite.Raw(path)
			defer raw.Close()
			queries, err := db.Prepare(t.Context(), raw)
			if err != nil {
				t.Fatal(err)
			}
			if err := queries.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAdoption(t *testing.T) {
	fresh := filepath.Join(t.TempDir(), "memory.db")
	openAndClose(t, fresh)
	for _, name := range oldDatabases {
		t.Run(name, func(t *testing.T) {
			path := unpack(t, name)
			tables, shape := contents(t, path), structure(t, path)
			openAndClose(t, path)
			openAndClose(t, path) // which has nothing left to do

			after := contents(t, path)
			for table, rows := range tables {
				if table != "db_metadata" {
					equal(t, table, after[table], rows)
				}
			}
			newShape := structure(t, path)
			for table, columns := range shape {
				equal(t, "structure of "+table, newShape[table], columns)
			}
			if name != "v3" {
				equal(t, "structure", only(newShape, documented...), only(structure(t, fresh), documented...))
			}
			equal(t, "schema version", query(t, path, "SELECT value FROM db_metadata WHERE key = 'schema_version'"), []string{"8"})
			equal(t, "integrity", query(t, path, "PRAGMA integrity_check"), []string{"ok"})
			equal(t, "violations", query(t, path, "PRAGMA foreign_key_check"), []string{})
			checkBackup(t, path, tables)
		})
	}
}

// checkBackup proves that there is one copy of what a database held.
func checkBackup(t *testing.T, path string, tables map[string][]string) {
	t.Helper()
	copies := backups(t, path)
	if len(copies) != 1 || !strings.Contains(copies[0], ".bak-unversioned-") {
		t.Fatalf("backups: %v", copies)
	}
	info, err := os.Stat(copies[0])
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "mode of the backup", info.Mode().Perm(), os.FileMode(0o600))
	equal(t, "backup", contents(t, copies[0]), tables)
}

func TestAdoptedDatabaseWorks(t *testing.T) {
	for _, name := range oldDatabases {
		t.Run(name, func(t *testing.T) {
			path := unpack(t, name)
			db := open(t, path)
			ctx := t.Context()
			repaired, err := db.CheckText(ctx)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "texts to repair after adoption", repaired, 0)
			id := add(t, db, "Nueva", "boya nueva")
			err = db.Update(ctx, func(w memory.Writer) error {
				ids, total, err := w.EntityPage(ctx, 1000, 0)
				if err != nil {
					return err
				}
				outOfDate, err := w.OutOfDate(ctx, "", 0, 1000)
				if err != nil {
					return err
				}
				equal(t, "vectors out of date", len(outOfDate), total)
				matches, err := w.MatchAny(ctx, memory.Entities, variantsOf("oceanografa"), memory.Filter{}, 10)
				if err != nil {
					return err
				}
				equal(t, "words found", len(matches), 1)
				if _, err := w.InsertRelation(ctx, ids[0], id, "ve"); err != nil {
					return err
				}
				if err := w.Reindex(ctx, []int64{ids[0], id}); err != nil {
					return err
				}
				embedDue(t, w, "m")
				nearest, err := w.NearestPassages(ctx, "m", asked(vectorOf(0)), memory.Filter{}, 1000)
				if err != nil {
					return err
				}
				passages, err := w.CountPassages(ctx)
				if err != nil {
					return err
				}
				if equal(t, "neighbours", len(nearest), passages); passages < total {
					t.Errorf("%d passages of %d entities", passages, total)
				}
				for _, id := range ids { // other programs read these
					if err := w.SetVector(ctx, id, "m", "h", vectorOf(float32(id))); err != nil {
						return err
					}
				}
				for _, id := range ids {
					if err := w.DeleteEntity(ctx, id); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestSupersededObservations(t *testing.T) {
	path := unpack(t, "v3")
	db := open(t, path)
	const superseded = `SELECT entity_id, content FROM observations WHERE id IN (SELECT supersedes FROM observations)`
	before := query(t, path, superseded)
	if len(before) == 0 {
		t.Fatal("the database holds no superseded observation")
	}
	// Supersede one entity's observation by another's, too.
	execute(t, path, `UPDATE observations SET supersedes = 1 WHERE id = (SELECT max(id) FROM observations)`)
	ctx := t.Context()
	err := db.Update(ctx, func(w memory.Writer) error {
		deleted, err := w.DeleteObservations(ctx, 9, []string{"Harmonic analysis with thirty seven constituents"})
		if err != nil {
			return err
		}
		equal(t, "deleted", len(deleted), 1)
		return w.DeleteEntity(ctx, 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "superseded afterwards", query(t, path, superseded), []string{})
}

func TestPairsAreRepaired(t *testing.T) {
	path := unpack(t, "seed")
	execute(t, path, "DELETE FROM co_occurrences",
		"INSERT INTO co_occurrences VALUES (1, 1, 5, '2024-01-01 00:00:00'), (1, 2, 1, '2024-01-01 00:00:00'), (2, 1, 2, '2025-01-01 00:00:00'), (4, 3, 7, '2023-01-01 00:00:00')")
	openAndClose(t, path)
	equal(t, "pairs", query(t, path, "SELECT * FROM co_occurrences ORDER BY 1, 2"), []string{
		"1 2 3 2025-01-01 00:00:00",
		"3 4 7 2023-01-01 00:00:00",
	})
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	path := unpack(t, "first-release")
	tables, shape := contents(t, path), structure(t, path)
	failure := errors.New("failure")
	err := sqlite.Migrate(t.Context(), path, func(ctx context.Context, p *goose.Provider) error {
		if _, err := p.UpTo(ctx, 3); err != nil {
			return err
		}
		return failure
	})
	if !errors.Is(err, failure) {
		t.Fatalf("Migrate returned %v", err)
	}
	equal(t, "contents", contents(t, path), tables)
	equal(t, "structure", structure(t, path), shape)
	equal(t, "files", filesBeside(t, path), []string{"memory.db"})
}

// What another program made under one of our names is refused by its columns,
// and not even switched to another journal mode.
func TestUnfitDatabaseIsLeftAlone(t *testing.T) {
	for reason, statement := range map[string]string{
		"table entities lacks the column name":         "CREATE TABLE entities (id INTEGER PRIMARY KEY, title TEXT)",
		"table relations lacks the column from_entity": "CREATE TABLE relations (id INTEGER, source TEXT)",
	} {
		path := filepath.Join(t.TempDir(), "memory.db")
		execute(t, path, statement)
		if !strings.Contains(statement, "entities") {
			execute(t, path, "CREATE TABLE entities (id INTEGER PRIMARY KEY, Name TEXT, entity_type TEXT, created_at TEXT, updated_at TEXT)")
		}
		before := readFile(t, path)
		_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		refused(t, err, "it is the database of another program: its "+reason)
		_, err = sqlite.Migrations(t.Context(), path)
		refused(t, err, reason)
		if readFile(t, path) != before {
			t.Error("the file was changed")
		}
		equal(t, "files", filesBeside(t, path), []string{"memory.db"})
	}
}

// The user is told what failed, and the log why.
func TestFailedMigrationIsToldInPlainWords(t *testing.T) {
	broken := func(context.Context, *goose.Provider) error { return errors.New("SQL of no interest") }
	versioned := filepath.Join(t.TempDir(), "memory.db")
	openAndClose(t, versioned)
	for path, want := range map[string]string{
		versioned:                            "changing its schema from version 8 failed; nothing was changed",
		filepath.Join(t.TempDir(), "new.db"): "making its tables failed; nothing was changed",
		unpack(t, "seed"):                    "taking it over from the Python server failed; nothing was changed",
	} {
		err := sqlite.Migrate(t.Context(), path, broken)
		equal(t, "error", err.Error(), "cannot open the memory database "+path+": "+want)
		if cause := errors.Unwrap(err); cause == nil || !strings.Contains(cause.Error(), "SQL of no interest") {
			t.Errorf("cause %v, want that of the failure", cause)
		}
	}
}

// Only the process that does the work says so.
func TestMigrationIsLogged(t *testing.T) {
	const starts = 5
	fresh, old := filepath.Join(t.TempDir(), "memory.db"), unpack(t, "seed")
	for path, want := range map[string]string{
		fresh: `msg="database created" path=` + fresh + " version=8\n",
		old:   `msg="database migrated" path=` + old + " from=unversioned to=8 backup=" + old + ".bak-",
	} {
		var log bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&log, nil)) // which keeps lines apart
		var group sync.WaitGroup
		for range starts {
			group.Go(func() {
				db, err := sqlite.Open(t.Context(), path, sqlite.Options{Logger: logger})
				if err == nil {
					err = db.Close()
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, want) {
			t.Errorf("log %q, want one line with %q", text, want)
		}
	}
}

func TestStampFollowsVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	openAndClose(t, path)
	stamp := func() []string {
		return query(t, path, "SELECT value FROM db_metadata WHERE key = 'schema_version'")
	}
	err := sqlite.Migrate(t.Context(), path, func(ctx context.Context, p *goose.Provider) error {
		_, err := p.DownTo(ctx, 2)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "after down", stamp(), []string{"2"})
	openAndClose(t, path)
	equal(t, "after up", stamp(), []string{"8"})
}

// Copies made within one second are several files.
func TestEveryChangeKeepsItsBackup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	openAndClose(t, path)
	for range 2 {
		for _, version := range []int64{6, 7} {
			err := sqlite.Migrate(t.Context(), path, func(ctx context.Context, p *goose.Provider) error {
				var err error
				if version == 6 {
					_, err = p.DownTo(ctx, version)
				} else {
					_, err = p.UpTo(ctx, version)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	equal(t, "backups", len(backups(t, path)), 4)
}
