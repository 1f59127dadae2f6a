package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"time"

	"github.com/mattn/go-sqlite3"
	"github.com/pressly/goose/v3"

	"mcp-memory/gen/db"
	"mcp-memory/migrations"
)

// migrationWait is how long a start waits for other processes that migrate.
const migrationWait = 2 * time.Minute

// Migrate lets change bring the schema of a database to another version. What
// change does happens as one transaction, with the write lock held; a database
// that holds a memory is copied beside its file first.
func Migrate(ctx context.Context, path string, change func(context.Context, *goose.Provider) error) error {
	return withMigration(ctx, path, func(m *migration) error {
		_, err := m.apply(ctx, change)
		return err
	})
}

// Migrations lists all migrations and whether they were applied. What the
// database holds stays as it is.
func Migrations(ctx context.Context, path string) (statuses []*goose.MigrationStatus, err error) {
	err = withMigration(ctx, path, func(m *migration) error {
		provider, err := m.provider()
		if err != nil {
			return err
		}
		statuses, err = provider.Status(ctx)
		return err
	})
	return statuses, err
}

// Upgraded is what Upgrade did.
type Upgraded struct {
	From    string // the version that the schema had, or "unversioned"
	Adopted bool   // it was the Python server's
	Backup  string // the copy that was made first; empty if there was nothing to do
}

// Upgrade brings the database at path to the current schema, as Open does. It
// returns ErrNoDatabase where there is no memory, and errors as Open does.
func Upgrade(ctx context.Context, path string) (Upgraded, error) {
	if err := lookable(path); err != nil {
		return Upgraded{}, err
	}
	state, err := inspectFile(ctx, path)
	switch {
	case err != nil:
		return Upgraded{}, openError(path, err)
	case state.empty:
		return Upgraded{}, ErrNoDatabase
	case state.current():
		return Upgraded{From: state.String()}, nil
	}
	return upgrade(ctx, path, slog.New(slog.DiscardHandler))
}

// upgrade brings a database to the current schema, unless another process has
// done it in the meantime.
func upgrade(ctx context.Context, path string, log *slog.Logger) (done Upgraded, err error) {
	err = withMigration(ctx, path, func(m *migration) error {
		done = Upgraded{From: m.state.String(), Adopted: !m.state.versioned && !m.state.empty}
		if m.state.current() {
			return nil
		}
		if noted, err := m.noteVersions(ctx); err != nil || noted {
			done.Adopted = false
			log.Warn("the note of the database's version was gone, and is made again", "path", path, "version", LatestVersion(), "error", err)
			return err
		}
		var repairs []mended
		done.Backup, err = m.apply(ctx, func(ctx context.Context, p *goose.Provider) (err error) {
			if repairs, err = m.mend(ctx); err != nil {
				return err
			}
			return up(ctx, p)
		})
		switch {
		case err != nil:
			return err
		case done.Backup == "":
			log.Info("database created", "path", path, "version", LatestVersion())
		default:
			log.Info("database migrated", "path", path, "from", m.state.String(), "to", LatestVersion(), "backup", done.Backup)
		}
		for _, r := range repairs {
			log.Info("database repaired", "what", r.what, "rows", r.rows)
		}
		return nil
	})
	return done, err
}

// up applies every migration that is due.
func up(ctx context.Context, p *goose.Provider) error {
	_, err := p.Up(ctx)
	return err
}

// migration is a connection with an open transaction that holds the write
// lock. The lock also keeps simultaneous starts from doing the work twice.
type migration struct {
	path  string
	db    *sql.DB
	state schemaState
}

// withMigration runs fn in a transaction of its own and then undoes what fn
// has not committed.
func withMigration(ctx context.Context, path string, fn func(*migration) error) error {
	if err := makeFile(path); err != nil {
		return openError(path, err)
	}
	// First, as opening the migrator switches the file to WAL mode.
	if err := recognise(ctx, path); err != nil {
		return openError(path, err)
	}
	conn, err := openMigrator(ctx, path)
	if err != nil {
		return openError(path, err)
	}
	defer conn.Close()
	return openError(path, onConn(ctx, conn, path, fn))
}

// openMigrator opens a connection, once other new connections are out of the way.
func openMigrator(ctx context.Context, path string) (conn *sqlite3.SQLiteConn, err error) {
	err = retryBusy(ctx, migrationWait, func() error {
		conn, err = connector{path, migrator}.open()
		return err
	})
	return conn, err
}

func onConn(ctx context.Context, conn *sqlite3.SQLiteConn, path string, fn func(*migration) error) error {
	m := &migration{path: path, db: sql.OpenDB(nested{conn})}
	m.db.SetMaxOpenConns(1)
	defer m.db.Close()
	if err := beginImmediate(ctx, m.db, migrationWait); err != nil {
		return err
	}
	defer func() {
		if !conn.AutoCommit() {
			_ = run(context.WithoutCancel(ctx), m.db, "ROLLBACK")
		}
	}()
	var err error
	if m.state, err = inspect(ctx, m.db, path); err != nil {
		return err
	}
	return fn(m)
}

func (m *migration) provider() (*goose.Provider, error) {
	return goose.NewProvider(goose.DialectSQLite3, m.db, migrations.FS,
		goose.WithDisableGlobalRegistry(true),
		goose.WithGoMigrations(goMigrations()...))
}

// apply makes a backup, lets change work and commits. Without a change there
// is no backup either.
func (m *migration) apply(ctx context.Context, change func(context.Context, *goose.Provider) error) (backup string, err error) {
	backup, err = m.backup(ctx)
	if err != nil {
		return "", &migrationError{m.state, fmt.Errorf("back up: %w", err)}
	}
	changed, err := m.changeAndCommit(ctx, change)
	if err != nil {
		err = &migrationError{m.state, err}
	}
	switch {
	case backup == "":
		return "", err
	case err != nil || !changed:
		return "", errors.Join(err, os.Remove(backup))
	}
	// A name of its own only now: tries that were killed leave one copy at most.
	kept := m.backupName()
	if err := os.Rename(backup, kept); err != nil {
		return "", err
	}
	dropOldBackups(m.path, kept)
	return kept, nil
}

func (m *migration) changeAndCommit(ctx context.Context, change func(context.Context, *goose.Provider) error) (changed bool, err error) {
	provider, err := m.provider()
	if err != nil {
		return false, err
	}
	if err := change(ctx, provider); err != nil {
		return false, err
	}
	version, err := provider.GetDBVersion(ctx)
	if err != nil {
		return false, err
	}
	if err := m.stamp(ctx, version); err != nil {
		return false, fmt.Errorf("note schema version %d: %w", version, err)
	}
	if err := run(ctx, m.db, "COMMIT"); err != nil {
		return false, fmt.Errorf("commit: %w", err)
	}
	return !m.state.versioned || version != m.state.version, nil
}

// stamp notes in db_metadata what goose notes in its own table, for people and
// for the Python server.
func (m *migration) stamp(ctx context.Context, version int64) error {
	if version == 0 || (m.state.versioned && version == m.state.version) {
		return nil // at zero there is no db_metadata
	}
	q := db.New(m.db)
	if err := q.PutMetadata(ctx, db.PutMetadataParams{Key: "schema_version", Value: strconv.FormatInt(version, 10)}); err != nil {
		return err
	}
	return q.PutMetadata(ctx, db.PutMetadataParams{Key: "last_migration", Value: formatTime(time.Now())})
}

// backup copies the database as it was before the transaction, and returns the
// name of the copy, always the same. An empty database needs none.
func (m *migration) backup(ctx context.Context) (string, error) {
	if m.state.empty || m.path == memoryPath {
		return "", nil
	}
	name := m.path + ".bak-part"
	if err := removeCopy(name); err != nil { // of a try that was killed
		return "", err
	}
	if err := os.WriteFile(name, nil, 0o600); err != nil { // for the mode
		return "", err
	}
	source := sql.OpenDB(connector{m.path, plain})
	defer source.Close()
	if err := run(ctx, source, vacuumInto, name); err != nil {
		return "", errors.Join(err, source.Close(), removeCopy(name))
	}
	return name, nil
}

// removeCopy removes a copy that is not complete, with what SQLite leaves beside it
// where there is no room.
func removeCopy(name string) error {
	return errors.Join(removeIfAny(name), removeIfAny(name+"-journal"))
}
