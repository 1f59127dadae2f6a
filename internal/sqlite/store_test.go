package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
	"mcp-memory/internal/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) memory.Store { return open(t, filepath.Join(t.TempDir(), "memory.db")) })
}

func TestLargeStore(t *testing.T) {
	sqlite.SearchAsIfLarge(t)
	storetest.Run(t, func(t *testing.T) memory.Store { return open(t, filepath.Join(t.TempDir(), "memory.db")) })
}

// TestHalvesOfAnIndexAreWaitedFor: what the slower one finds counts, too.
func TestHalvesOfAnIndexAreWaitedFor(t *testing.T) {
	sqlite.SearchAsIfLarge(t)
	db := open(t, filepath.Join(t.TempDir(), "memory.db"))
	var text strings.Builder
	for i := range 14_000 { // more than the passages of one shard
		fmt.Fprintf(&text, "Sentence %d is of lanterns and quartz. ", i)
	}
	add(t, db, "Alfa", text.String())
	embedAll(t, db, "m")
	search := func(view func(context.Context, func(memory.Reader) error) error) (found, all int) {
		err := view(t.Context(), func(r memory.Reader) error {
			nearest, err := r.NearestPassages(t.Context(), "m", asked(vectorOf(1)), memory.Filter{}, 4096)
			if err != nil {
				return err
			}
			found = len(nearest)
			all, err = r.CountPassages(t.Context())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return found, all
	}
	for range 3 {
		if found, all := search(db.ViewWithLateHelp); found != all || all <= 1024 {
			t.Fatalf("%d of %d passages were found, with help that is late", found, all)
		}
		if found, all := search(db.View); found != all {
			t.Fatalf("%d of %d passages were found", found, all)
		}
	}
}

func TestMemoryDatabase(t *testing.T) {
	db := open(t, ":memory:")
	id := add(t, db, "Alfa", "uno")
	err := db.View(t.Context(), func(r memory.Reader) error {
		ids, _, err := r.Containing(t.Context(), "uno", 10, 0)
		equal(t, "found", ids, []int64{id})
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestDeleteLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	openAndClose(t, path)
	before := contents(t, path)

	db := open(t, path)
	ctx := t.Context()
	a, b := add(t, db, "Alfa", "uno", "dos"), add(t, db, "Bravo", "tres")
	err := db.Update(ctx, func(w memory.Writer) error {
		_, err := w.InsertRelation(ctx, a, b, "knows")
		return errors.Join(err,
			w.Reindex(ctx, []int64{a, b}),
			w.SetVector(ctx, a, "m", "h", vectorOf(1)),
			w.RecordAccess(ctx, []int64{a, b}),
			w.RecordTogether(ctx, []int64{a, b}))
	})
	if err != nil {
		t.Fatal(err)
	}
	embedAll(t, db, "m")
	if len(contents(t, path)["co_occurrences"]) == 0 {
		t.Fatal("nothing was written")
	}
	err = db.Update(ctx, func(w memory.Writer) error {
		return errors.Join(w.DeleteEntity(ctx, a), w.DeleteEntity(ctx, b))
	})
	if err != nil {
		t.Fatal(err)
	}
	after := contents(t, path)
	equal(t, "passages left", after["passages"], []string{
		"1 <nil> 0 <nil> <nil>  <nil>", "2 <nil> 0 <nil> <nil>  <nil>", "3 <nil> 0 <nil> <nil>  <nil>", "4 <nil> 0 <nil> <nil>  <nil>",
	})
	after["passages"], after["embedding_models"] = before["passages"], before["embedding_models"]
	equal(t, "tables", after, before)
	for _, shadow := range []string{
		"entity_fts_content", "entity_fts_docsize", "entity_terms_docsize", "passage_terms_docsize", "entity_trigrams_docsize",
		"entity_vocabulary", "trigram_vocabulary", "entity_embeddings_rowids",
	} {
		equal(t, shadow, query(t, path, "SELECT count(*) FROM "+shadow), []string{"0"})
	}
	if err := db.CheckVectors(ctx); err != nil {
		t.Error(err)
	}
}

func TestEditsReuseVectorRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db := open(t, path)
	id := add(t, db, "Alfa")
	for i := range 3 {
		err := db.Update(t.Context(), func(w memory.Writer) error {
			return w.SetVector(t.Context(), id, "m", "h", vectorOf(float32(i)))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "rows", query(t, path, "SELECT rowid, chunk_id, chunk_offset FROM entity_embeddings_rowids"), []string{"1 1 0"})
}

// TestOtherProcess uses a second DB, which is to SQLite what another process is.
func TestOtherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	mine, theirs := open(t, path), open(t, path)
	impatient, err := sqlite.Open(t.Context(), path, sqlite.Options{BusyWait: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer impatient.Close()
	ctx := t.Context()
	waiting := make(chan error, 1)
	err = theirs.Update(ctx, func(memory.Writer) error {
		never := func(memory.Writer) error {
			t.Error("two writers at once")
			return nil
		}
		if err := mine.TryUpdate(ctx, time.Millisecond, never); !errors.Is(err, memory.ErrBusy) {
			t.Errorf("TryUpdate returned %v", err)
		}
		if err := impatient.Update(ctx, never); !errors.Is(err, memory.ErrBusy) {
			t.Errorf("Update returned %v", err)
		}
		gone, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		if err := mine.Update(gone, never); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Update of a caller who has gone returned %v", err)
		}
		go func() {
			waiting <- mine.Update(ctx, func(w memory.Writer) error {
				_, err := w.InsertEntity(ctx, "Patient", "Note")
				return err
			})
		}()
		return mine.View(ctx, func(r memory.Reader) error {
			_, total, err := r.EntityPage(ctx, 1, 0)
			equal(t, "entities seen meanwhile", total, 0)
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; err != nil {
		t.Errorf("the patient writer: %v", err)
	}
	timeout, err := mine.Pragma(ctx, true, "busy_timeout")
	equal(t, "busy_timeout afterwards", timeout, "10000")
	if err != nil {
		t.Error(err)
	}
}

func TestErrorsHaveMeanings(t *testing.T) {
	write := func(db *sqlite.DB) error {
		return db.Update(t.Context(), func(w memory.Writer) error {
			id, err := w.InsertEntity(t.Context(), "Alfa", "Note")
			if err != nil {
				return err
			}
			_, err = w.InsertObservations(t.Context(), id, []string{strings.Repeat("more than a page ", 1000)})
			return err
		})
	}
	for statement, want := range map[string]error{
		"PRAGMA max_page_count = 1": memory.ErrFull,
		"PRAGMA query_only = ON":    memory.ErrReadOnly,
	} {
		db := open(t, filepath.Join(t.TempDir(), "memory.db"))
		if err := db.OnWriter(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
		if err := write(db); !errors.Is(err, want) {
			t.Errorf("after %s: %v, not %v", statement, err, want)
		}
		err := db.View(t.Context(), func(r memory.Reader) error {
			_, total, err := r.EntityPage(t.Context(), 1, 0)
			equal(t, "entities after the failure", total, 0)
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestUnreadableTimes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db := open(t, path)
	id := add(t, db, "Alfa")
	created := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tc := range []struct {
		created, accessed string
		want              time.Time
	}{
		{"2024-01-02 03:04:05", "2025-05-05 05:05:05", time.Date(2025, 5, 5, 5, 5, 5, 0, time.UTC)},
		{"2024-01-02 03:04:05", "yesterday", created},
		{"long ago", "yesterday", time.Time{}},
	} {
		execute(t, path, "UPDATE entities SET created_at = '"+tc.created+"'",
			"INSERT OR REPLACE INTO entity_access VALUES (1, 7, '"+tc.accessed+"')")
		err := db.View(t.Context(), func(r memory.Reader) error {
			usages, err := r.Usages(t.Context(), []int64{id})
			equal(t, "usage", usages, []memory.Usage{{EntityID: id, Accesses: 7, LastAccess: tc.want}})
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestVectorThatCannotBeDeleted breaks the vector index, as it is known to
// break by itself now and then.
func TestVectorThatCannotBeDeleted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	var log bytes.Buffer
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	id := add(t, db, "Alfa", "uno")
	err = db.Update(t.Context(), func(w memory.Writer) error { return w.SetVector(t.Context(), id, "m", "h", vectorOf(1)) })
	if err != nil {
		t.Fatal(err)
	}
	embedAll(t, db, "m")
	execute(t, path, "DROP TABLE entity_embeddings_chunks", "DROP TABLE passage_embeddings_chunks")
	err = db.Update(t.Context(), func(w memory.Writer) error { return w.DeleteEntity(t.Context(), id) })
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "entities left", query(t, path, "SELECT count(*) FROM entities"), []string{"0"})
	for _, of := range []string{"entity=1", "passage=1"} {
		if !strings.Contains(log.String(), `msg="vector not deleted" `+of) {
			t.Errorf("no warning about %s in the log: %s", of, &log)
		}
	}
}

func TestModelIsNoted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db := open(t, path)
	for _, format := range []string{"1", "2"} {
		err := db.Update(t.Context(), func(w memory.Writer) error { return w.SetModel(t.Context(), "e5", 384, format) })
		if err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "embedding_model", query(t, path, "SELECT value FROM db_metadata WHERE key = 'embedding_model'"),
		[]string{`{"id":"e5","dimensions":384,"text_format":"2"}`})
}

func TestClosed(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.View(t.Context(), func(memory.Reader) error { return nil }); !errors.Is(err, sqlite.ErrClosed) {
		t.Errorf("View returned %v", err)
	}
	if err := db.Update(t.Context(), func(memory.Writer) error { return nil }); !errors.Is(err, sqlite.ErrClosed) {
		t.Errorf("Update returned %v", err)
	}
}

// vectorOf is a vector that depends on x.
func vectorOf(x float32) []float32 {
	v := make([]float32, memory.Dimensions)
	v[0], v[1] = 1, x
	return v
}

// embedDue gives each passage without a vector of a model one that depends on
// its id.
func embedDue(t testing.TB, w memory.Writer, modelID string) {
	t.Helper()
	due, err := w.PassagesDue(t.Context(), modelID, 0, 1_000_000)
	for _, p := range due {
		err = errors.Join(err, w.SetPassageVector(t.Context(), p.ID, modelID, p.Window.Hash(), stored(vectorOf(float32(p.ID)))))
	}
	if err != nil {
		t.Error(err)
	}
}

func embedAll(t testing.TB, db memory.Store, modelID string) {
	t.Helper()
	err := db.Update(t.Context(), func(w memory.Writer) error {
		embedDue(t, w, modelID)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
