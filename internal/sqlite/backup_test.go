package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pressly/goose/v3"

	"mcp-memory/internal/sqlite"
)

func TestBackUp(t *testing.T) {
	for _, name := range append([]string{"new"}, oldDatabases...) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			if name == "new" {
				add(t, open(t, path), "Faro", "guarda 牡蛎 los barcos")
			} else {
				path = unpack(t, name)
			}
			before := contents(t, path)
			target := filepath.Join(t.TempDir(), "copy.db")
			made, err := sqlite.BackUp(t.Context(), path, target, sqlite.BackupOptions{})
			if err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(target)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "size", made.Size, info.Size())
			equal(t, "mode", info.Mode().Perm(), os.FileMode(0o600))
			equal(t, "entities", made.Entities, len(before["entities"]))
			equal(t, "observations", made.Observations, len(before["observations"]))
			equal(t, "relations", made.Relations, len(before["relations"]))
			equal(t, "files", filesBeside(t, target), []string{"copy.db"})
			equal(t, "contents", contents(t, target), before)
			equal(t, "contents of the source", contents(t, path), before)
			openAndClose(t, target)
		})
	}
}

// What others write during a backup neither stops it nor gets into it by half.
func TestBackUpWhileOthersWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db := open(t, path)
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	wrote := make(chan struct{})
	group.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			add(t, db, fmt.Sprintf("entity %d", i), strings.Repeat("x", 3000), "second")
			select {
			case wrote <- struct{}{}:
			default:
			}
		}
	})
	for i := range 3 {
		for range 5 {
			<-wrote
		}
		target := filepath.Join(t.TempDir(), "copy.db")
		made, err := sqlite.BackUp(t.Context(), path, target, sqlite.BackupOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if made.Entities < 5*(i+1) || made.Observations != 2*made.Entities {
			t.Errorf("the backup holds %d entities with %d observations, want a whole number of changes", made.Entities, made.Observations)
		}
		repaired, err := open(t, target).CheckText(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "texts to repair", repaired, 0)
	}
}

func TestBackUpRefuses(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "memory.db")
	openAndClose(t, path)
	taken := filepath.Join(folder, "taken.db")
	write(t, taken, "precious")
	write(t, filepath.Join(folder, "stale.db-wal"), "wal")
	damaged := filepath.Join(folder, "damaged.db")
	damage(t, damaged)
	newer := filepath.Join(folder, "newer.db")
	openAndClose(t, newer)
	execute(t, newer, "UPDATE db_metadata SET value = '99' WHERE key = 'schema_version'")
	free := filepath.Join(folder, "free.db")
	before := filesBeside(t, path)
	for _, c := range []struct{ path, target, want string }{
		{path, taken, "exists already"},
		{path, path, "is the memory itself"},
		{path, folder, "is a folder"},
		{path, filepath.Join(folder, "stale.db"), "a database in use"},
		{path, filepath.Join(folder, "missing", "x.db"), "cannot write"},
		{filepath.Join(folder, "none.db"), free, "there is no such file"},
		{":memory:", free, "it has no file"},
		{taken, free, "the file is not a database"},
		{damaged, free, "damaged"},
		{newer, free, "update mcp-memory"},
	} {
		_, err := sqlite.BackUp(t.Context(), c.path, c.target, sqlite.BackupOptions{})
		told(t, err, c.want)
	}
	equal(t, "files", filesBeside(t, path), before)
	equal(t, "the file that was there", readFile(t, taken), "precious")
	if _, err := sqlite.BackUp(t.Context(), path, taken, sqlite.BackupOptions{Replace: true}); err != nil {
		t.Fatal(err)
	}
	openAndClose(t, taken)
}

func TestBackUpCanBeInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	add(t, open(t, path), "Faro", strings.Repeat("barcos ", 200_000))
	folder := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	_, err := sqlite.BackUp(ctx, path, filepath.Join(folder, "copy.db"), sqlite.BackupOptions{
		Progress: func(string, int, int) { stop() },
	})
	told(t, err, "interrupted")
	equal(t, "files", filesBeside(t, filepath.Join(folder, "copy.db")), []string{})
}

// Of the copies made before migrations, the five newest stay, and all that is
// called otherwise.
func TestOldBackupsGo(t *testing.T) {
	path := unpack(t, "seed")
	var others []string
	for _, suffix := range []string{
		".bak-7-20200101T000000Z.old", ".bak-x-20200101T000000Z", ".bak-7-2020", ".bak", ".before-restore-20200101T000000Z",
	} {
		write(t, path+suffix, "other")
		others = append(others, path+suffix)
	}
	write(t, filepath.Join(filepath.Dir(path), "other.db.bak-7-20200101T000000Z"), "other")
	if err := os.Mkdir(path+".bak-7-20190101T000000Z", 0o700); err != nil {
		t.Fatal(err)
	}
	others = append(others, path+".bak-7-20190101T000000Z")
	for year := 2010; year < 2018; year++ {
		write(t, fmt.Sprintf("%s.bak-%d-%d0101T000000Z", path, year%7, year), "ours")
	}
	openAndClose(t, path)
	left := backups(t, path)
	var ours []string
	for _, name := range left {
		if readable, err := os.ReadFile(name); err == nil && !bytes.Equal(readable, []byte("other")) {
			ours = append(ours, strings.TrimPrefix(name, path))
		}
	}
	if len(ours) != 5 || !strings.HasPrefix(ours[4], ".bak-unversioned-") {
		t.Fatalf("kept: %q", ours)
	}
	equal(t, "the older ones that are kept", ours[:4], []string{
		".bak-0-20160101T000000Z", ".bak-1-20170101T000000Z", ".bak-5-20140101T000000Z", ".bak-6-20150101T000000Z",
	})
	for _, name := range others {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("a file of another's is gone: %v", err)
		}
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), "other.db.bak-7-20200101T000000Z")); err != nil {
		t.Error(err)
	}
}

func TestRestore(t *testing.T) {
	for _, name := range append([]string{"new", "older", "small pages"}, oldDatabases...) {
		t.Run(name, func(t *testing.T) {
			backup := filepath.Join(t.TempDir(), "backup.db")
			switch name {
			case "new", "older", "small pages":
				addAndClose(t, backup, "Faro", "guarda los barcos")
				if name == "older" {
					down(t, backup, 5)
				} else if name == "small pages" {
					smaller := filepath.Join(t.TempDir(), "small.db")
					execute(t, backup, "PRAGMA journal_mode = DELETE", "PRAGMA page_size = 1024", "VACUUM INTO '"+smaller+"'")
					backup = smaller
					equal(t, "page size", query(t, backup, "PRAGMA page_size"), []string{"1024"})
				}
			default:
				backup = unpack(t, name)
			}
			wanted := contents(t, backup)
			path := filepath.Join(t.TempDir(), "memory.db")
			addAndClose(t, path, "Presente", "lo que había")
			present := contents(t, path)
			source := readFile(t, backup)

			asked := false
			done, err := sqlite.Restore(t.Context(), path, backup, sqlite.RestoreOptions{
				Confirm: func(s sqlite.Summary) bool { asked = s.Entities == len(wanted["entities"]); return true },
			})
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "asked", asked, true)
			equal(t, "restored", contents(t, path), wanted)
			equal(t, "kept", contents(t, done.Kept), present)
			equal(t, "the backup", readFile(t, backup), source)
			equal(t, "entities", done.Entities, len(wanted["entities"]))
			equal(t, "files", filesBeside(t, path), []string{"memory.db", filepath.Base(done.Kept)})
			openAndClose(t, path) // which migrates what is older
			if back, err := sqlite.Restore(t.Context(), path, done.Kept, sqlite.RestoreOptions{}); err != nil || back.Kept == done.Kept {
				t.Fatalf("the way back: %+v, %v", back, err)
			}
			equal(t, "what was there at first", contents(t, path), present)
		})
	}
}

// What a database in WAL mode holds beside its file belongs to it, on both sides.
func TestRestoreMindsTheLog(t *testing.T) {
	backup, path := filepath.Join(t.TempDir(), "live.db"), filepath.Join(t.TempDir(), "memory.db")
	live := open(t, backup)
	add(t, live, "Faro", "only in the log")
	crashed(t, path, "Presente")
	done, err := sqlite.Restore(t.Context(), path, backup, sqlite.RestoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "restored", query(t, path, "SELECT name FROM entities"), []string{"Faro"})
	equal(t, "kept", query(t, done.Kept, "SELECT name FROM entities"), []string{"Presente"})
	add(t, live, "Boya", "the other one goes on")
}

func TestRestoreWhatIsMissingOrDamaged(t *testing.T) {
	backup := filepath.Join(t.TempDir(), "backup.db")
	add(t, open(t, backup), "Faro", "guarda los barcos")
	for name, prepare := range map[string]func(t *testing.T, path string){
		"missing": func(*testing.T, string) {},
		"empty":   func(t *testing.T, path string) { write(t, path, "") },
		"no database": func(t *testing.T, path string) {
			write(t, path, "no database at all, but longer than its head, which has a hundred bytes: "+strings.Repeat("x", 100))
			write(t, path+"-wal", "what was a log")
		},
		"damaged":   damage,
		"truncated": func(t *testing.T, path string) { damage(t, path); truncate(t, path) },
		"a log without a database": func(t *testing.T, path string) {
			crashed(t, path, "Presente")
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "sub", "memory.db")
			if name != "missing" {
				if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			prepare(t, path)
			before, _ := os.ReadFile(path)
			done, err := sqlite.Restore(t.Context(), path, backup, sqlite.RestoreOptions{})
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "restored", query(t, path, "SELECT name FROM entities"), []string{"Faro"})
			equal(t, "integrity", query(t, path, "PRAGMA integrity_check"), []string{"ok"})
			if len(before) > 0 && (name == "no database" || name == "truncated") {
				equal(t, "what is kept", readFile(t, done.Kept), string(before))
			}
			if kept := done.Kept != ""; kept != (name != "missing" && name != "empty") {
				t.Errorf("kept as %q", done.Kept)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if name != "damaged" && name != "empty" {
				equal(t, "mode", info.Mode().Perm(), os.FileMode(0o600))
			}
		})
	}
}

func TestRestoreRefuses(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "memory.db")
	add(t, open(t, path), "Presente", "bleibt")
	backup := filepath.Join(folder, "backup.db")
	add(t, open(t, backup), "Faro", "guarda los barcos")
	prepare := func(name string, fill func(path string)) string {
		made := filepath.Join(folder, name)
		fill(made)
		return made
	}
	newer := prepare("newer.db", func(p string) {
		openAndClose(t, p)
		execute(t, p, "UPDATE db_metadata SET value = '99' WHERE key = 'schema_version'")
	})
	other := prepare("other.db", func(p string) { execute(t, p, "CREATE TABLE songs (id INTEGER)") })
	alike := prepare("alike.db", func(p string) { execute(t, p, "CREATE TABLE entities (id INTEGER, title TEXT)") })
	garbage := prepare("garbage.db", func(p string) { write(t, p, strings.Repeat("garbage", 100)) })
	damaged := prepare("damaged.db", func(p string) { damage(t, p) })
	nothing := prepare("nothing.db", func(p string) { execute(t, p, "CREATE TABLE x (id)", "DROP TABLE x") })
	sources := map[string]string{}
	for _, name := range []string{newer, other, alike, garbage, damaged, nothing} {
		sources[name] = readFile(t, name)
	}
	before := filesBeside(t, path)
	for _, c := range []struct{ path, from, want string }{
		{path, newer, "update mcp-memory"},
		{path, other, "the database of another program"},
		{path, alike, "the database of another program"},
		{path, garbage, "not a database"},
		{path, damaged, "damaged"},
		{path, nothing, "it is empty"},
		{path, path, "is the memory itself"},
		{path, folder, "it is a folder"},
		{path, filepath.Join(folder, "none"), "there is no such file"},
		{other, backup, "the database of another program"},
		{":memory:", backup, "it has no file"},
	} {
		_, err := sqlite.Restore(t.Context(), c.path, c.from, sqlite.RestoreOptions{})
		told(t, err, c.want)
	}
	_, err := sqlite.Restore(t.Context(), path, backup, sqlite.RestoreOptions{Confirm: func(sqlite.Summary) bool { return false }})
	if !errors.Is(err, sqlite.ErrDeclined) {
		t.Errorf("declined: %v", err)
	}
	equal(t, "files", filesBeside(t, path), before)
	for name, content := range sources {
		if readFile(t, name) != content {
			t.Errorf("%s was changed", name)
		}
	}
	equal(t, "present", query(t, path, "SELECT name FROM entities"), []string{"Presente"})
}

// Others that have the database open, if only idly, would go on as if nothing
// had happened.
func TestRestoreRefusesWhileOthersUseIt(t *testing.T) {
	backup := filepath.Join(t.TempDir(), "backup.db")
	add(t, open(t, backup), "Faro", "guarda los barcos")
	for _, kind := range []string{"sound", "damaged"} {
		path := filepath.Join(t.TempDir(), "memory.db")
		openAndClose(t, path)
		release := hold(t, path)
		if kind == "damaged" {
			write(t, path, strings.Repeat("no database ", 50))
		}
		_, err := sqlite.Restore(t.Context(), path, backup, sqlite.RestoreOptions{})
		if _, ok := errors.AsType[*sqlite.InUseError](err); !ok {
			t.Errorf("%s: %v, want that it is in use", kind, err)
		}
		release()
		if _, err := sqlite.Restore(t.Context(), path, backup, sqlite.RestoreOptions{}); err != nil {
			t.Errorf("%s, afterwards: %v", kind, err)
		}
	}
}

// A program that starts meanwhile waits, and finds what was restored.
func TestStartDuringRestore(t *testing.T) {
	backup := filepath.Join(t.TempDir(), "backup.db")
	add(t, open(t, backup), "Faro", strings.Repeat("guarda los barcos ", 100_000))
	path := filepath.Join(t.TempDir(), "memory.db")
	addAndClose(t, path, "Presente", "lo que había")
	var group sync.WaitGroup
	var once sync.Once
	_, err := sqlite.Restore(t.Context(), path, backup, sqlite.RestoreOptions{Progress: func(step string, done, total int) {
		if step != "restoring" {
			return
		}
		once.Do(func() {
			started := make(chan struct{})
			group.Go(func() {
				c := command(t, "start", path)
				if err := c.Start(); err != nil {
					t.Error(err)
				}
				started <- struct{}{}
				if err := c.Wait(); err != nil {
					t.Errorf("the program that started: %v", err)
				}
			})
			<-started
		})
	}})
	group.Wait()
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "entities", query(t, path, "SELECT count(*) FROM entities WHERE name = 'Faro' OR entity_type = 'Process'"), []string{"2"})
	equal(t, "integrity", query(t, path, "PRAGMA integrity_check"), []string{"ok"})
}

// Killed at any step, a restore leaves the old memory or the new one, and what
// it kept is whole.
func TestKilledRestore(t *testing.T) {
	backup := filepath.Join(t.TempDir(), "backup.db")
	addAndClose(t, backup, "Faro", strings.Repeat("guarda los barcos ", 100_000))
	for _, step := range []string{"checking", "keeping what was there", "restoring"} {
		path := filepath.Join(t.TempDir(), "memory.db")
		addAndClose(t, path, "Presente", strings.Repeat("lo que había ", 100_000))
		before := contents(t, path)
		child := command(t, "restore", path)
		child.Env = append(child.Env, "MCP_MEMORY_TEST_BACKUP="+backup, "MCP_MEMORY_TEST_STEP="+step)
		kill(t, child)
		equal(t, step+": integrity", query(t, path, "PRAGMA integrity_check"), []string{"ok"})
		equal(t, step+": contents", contents(t, path), before)
		for _, name := range filesBeside(t, path) {
			if strings.Contains(name, ".before-restore-") {
				equal(t, step+": kept", contents(t, filepath.Join(filepath.Dir(path), name)), before)
			}
		}
		if _, err := sqlite.Restore(t.Context(), path, backup, sqlite.RestoreOptions{}); err != nil {
			t.Errorf("%s: once more: %v", step, err)
		}
		for _, name := range filesBeside(t, path) {
			if strings.Contains(name, "part") {
				t.Errorf("%s: %s is left", step, name)
			}
		}
		equal(t, step+": restored", query(t, path, "SELECT name FROM entities"), []string{"Faro"})
	}
}

// restoreHalfWay restores up to a step, says so and waits for its end.
func restoreHalfWay(ctx context.Context, path string) error {
	_, err := sqlite.Restore(ctx, path, os.Getenv("MCP_MEMORY_TEST_BACKUP"), sqlite.RestoreOptions{
		Progress: func(step string, _, _ int) {
			if step == os.Getenv("MCP_MEMORY_TEST_STEP") {
				fmt.Fprintln(os.Stderr, "half")
				_, _ = io.Copy(io.Discard, os.Stdin)
			}
		},
	})
	return err
}

// down brings a database to an older schema.
func down(t *testing.T, path string, version int64) {
	t.Helper()
	err := sqlite.Migrate(t.Context(), path, func(ctx context.Context, p *goose.Provider) error {
		_, err := p.DownTo(ctx, version)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// addAndClose makes a database with an entity that no one has open.
func addAndClose(t *testing.T, path, name string, observations ...string) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	add(t, db, name, observations...)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// told checks what an error says, on one line.
func told(t *testing.T, err error, reason string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), reason) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v is not one line about %q", err, reason)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// damage makes a database with a page that is no page.
func damage(t *testing.T, path string) {
	t.Helper()
	addAndClose(t, path, "Presente", strings.Repeat("lo que había ", 10_000))
	content := []byte(readFile(t, path))
	for i := 2 * 4096; i < 12*4096; i++ {
		content[i] = 0xA5
	}
	write(t, path, string(content))
}

func truncate(t *testing.T, path string) {
	t.Helper()
	if err := os.Truncate(path, 6000); err != nil {
		t.Fatal(err)
	}
}

// crashed makes a database whose program ended without closing it: the entity is
// in its log only.
func crashed(t *testing.T, path, name string) {
	t.Helper()
	elsewhere := filepath.Join(t.TempDir(), "running.db")
	db := open(t, elsewhere)
	add(t, db, name, "in the log")
	for _, suffix := range []string{"", "-wal"} {
		write(t, path+suffix, readFile(t, elsewhere+suffix))
	}
}
