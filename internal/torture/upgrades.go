package torture

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pressly/goose/v3"

	"mcp-memory/internal/sqlite"
)

// killsPerUpgrade is how often one upgrade is killed at most.
const killsPerUpgrade = 4

// more makes an old database large enough that its upgrade takes a while.
const more = `
INSERT INTO entities (name, entity_type) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
	SELECT 'grown ' || i, 'Note' FROM n;
INSERT INTO observations (entity_id, content) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3)
	SELECT id, 'fact ' || i || ' about ' || name || ': the harbour opens at seven, über den Kanal' FROM entities, n WHERE name LIKE 'grown %';
INSERT INTO relations (from_entity, to_entity, relation_type)
	SELECT a.id, b.id, 'knows' FROM entities a JOIN entities b ON b.id = a.id + 1 WHERE a.name LIKE 'grown %' AND b.name LIKE 'grown %'`

// upgrades kills servers that make a new database, adopt a database of the Python server, or migrate
// one of an older schema. Nothing may get lost, and a copy of how it was must stay.
func (r *run) upgrades(ctx context.Context, c clock) error {
	random := r.random(200)
	kills, midway, done, made := 0, 0, 0, 0
	for round := 0; c.goesOn(round); round++ {
		if err := r.firstStarts(ctx, random); err != nil {
			return fmt.Errorf("a new database: %w", err)
		}
		made++
		name := []string{"first-release", "seed", "v3"}[round%3]
		version := int64(0) // as the Python server left it
		if round%2 == 1 {
			version = 1 + random.Int64N(sqlite.LatestVersion()-1)
		}
		k, m, err := r.upgrade(ctx, name, version, random)
		if err != nil {
			return fmt.Errorf("%s from schema version %d: %w", name, version, err)
		}
		kills, midway, done = kills+k, midway+m, done+1
	}
	r.row("new databases whose first starts were killed", "%d, each %d times", made, killsPerUpgrade)
	r.row("databases adopted or migrated", "%d; lost 0", done)
	r.row("servers killed meanwhile", "%d, of these %d before the change was made", kills, midway)
	return nil
}

// firstStart is about how long a server takes to make a database.
const firstStart = 100 * time.Millisecond

// firstStarts kills servers that make a new database, which then can be used.
func (r *run) firstStarts(ctx context.Context, random *rand.Rand) error {
	path, err := r.newDatabase()
	if err != nil {
		return err
	}
	for range killsPerUpgrade {
		if err := r.killStart(ctx, path, time.Duration(random.Int64N(int64(firstStart)))); err != nil {
			return err
		}
	}
	w := newWorker(newAuthor("new/", random), setup{db: path})
	if err := r.revive(ctx, w); err != nil {
		return err
	}
	if err := w.write(ctx, 5, 1); err != nil {
		return err
	}
	if err := w.server.stop(); err != nil {
		return err
	}
	if _, err := checkAll(ctx, []*worker{w}); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Dir(path))
}

func (r *run) upgrade(ctx context.Context, name string, version int64, random *rand.Rand) (kills, midway int, err error) {
	path, err := r.newDatabase()
	if err != nil {
		return 0, 0, err
	}
	if err := prepareOld(ctx, filepath.Join(r.OldDatabases, name+".db.gz"), path, version); err != nil {
		return 0, 0, fmt.Errorf("prepare: %w", err)
	}
	before, err := readState(ctx, path)
	if err != nil {
		return 0, 0, err
	}
	duration, err := r.timeUpgrade(ctx, path)
	if err != nil {
		return 0, 0, err
	}
	for kills < killsPerUpgrade {
		if err := r.killStart(ctx, path, time.Duration(random.Int64N(int64(duration)))); err != nil {
			return kills, midway, err
		}
		kills++
		stored, err := readState(ctx, path)
		if err != nil {
			return kills, midway, err
		}
		if err := same(fmt.Sprintf("after kill %d", kills), before, stored); err != nil {
			return kills, midway, err
		}
		now, err := schemaVersion(ctx, path)
		if err != nil {
			return kills, midway, err
		}
		if now == sqlite.LatestVersion() {
			break
		}
		midway++
	}
	return kills, midway, r.finishUpgrade(ctx, path, before)
}

// prepareOld makes an old database, of that version of our schema unless it is 0.
func prepareOld(ctx context.Context, packed, path string, version int64) error {
	if err := unpack(packed, path); err != nil {
		return err
	}
	db, err := open(path, "rw")
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, more)
	if err := errors.Join(err, db.Close()); err != nil || version == 0 {
		return err
	}
	err = sqlite.Migrate(ctx, path, func(ctx context.Context, p *goose.Provider) error {
		if _, err := p.Up(ctx); err != nil {
			return err
		}
		_, err := p.DownTo(ctx, version)
		return err
	})
	for _, c := range copies(path) {
		err = errors.Join(err, os.Remove(c))
	}
	return err
}

func unpack(packed, path string) error {
	file, err := os.Open(packed)
	if err != nil {
		return err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	content, err := io.ReadAll(unpacked)
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}

// copies lists the copies beside a database, whole or not.
func copies(path string) []string {
	list, _ := filepath.Glob(path + ".bak-*") // the pattern is fine
	return list
}

// timeUpgrade measures a start on a copy of the database.
func (r *run) timeUpgrade(ctx context.Context, path string) (time.Duration, error) {
	try, err := r.newDatabase()
	if err != nil {
		return 0, err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(try, content, 0o600); err != nil {
		return 0, err
	}
	began := time.Now()
	v, err := r.serve(ctx, setup{db: try})
	if err != nil {
		return 0, err
	}
	return time.Since(began), errors.Join(v.stop(), os.RemoveAll(filepath.Dir(try)))
}

// killStart starts a server and kills it after that time.
func (r *run) killStart(ctx context.Context, path string, after time.Duration) error {
	v, err := r.start(setup{db: path})
	if err != nil {
		return err
	}
	err = pause(ctx, after)
	v.kill()
	return err
}

// schemaVersion is the version of our schema; 0 for none.
func schemaVersion(ctx context.Context, path string) (int64, error) {
	tables, err := number(ctx, path, "SELECT count(*) FROM sqlite_schema WHERE name = 'goose_db_version'")
	if err != nil || tables == 0 {
		return 0, err
	}
	return number(ctx, path, "SELECT coalesce(max(version_id), 0) FROM goose_db_version")
}

// finishUpgrade has two servers start at the same time, and looks at what is
// there and at the copy.
func (r *run) finishUpgrade(ctx context.Context, path string, before state) error {
	start := func() error {
		v, err := r.serve(ctx, setup{db: path})
		if err != nil {
			return err
		}
		return v.stop()
	}
	if err := together(start, start); err != nil {
		return err
	}
	stored, err := readState(ctx, path)
	if err != nil {
		return err
	}
	if err := same("after the upgrade", before, stored); err != nil {
		return err
	}
	if err := verify(ctx, path); err != nil {
		return err
	}
	kept := copies(path)
	if len(kept) != 1 {
		return fmt.Errorf("%d copies are kept, want one: %s", len(kept), strings.Join(kept, ", "))
	}
	copied, err := readState(ctx, kept[0])
	if err != nil {
		return fmt.Errorf("the copy: %w", err)
	}
	if err := same("the copy "+kept[0], before, copied); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Dir(path))
}
