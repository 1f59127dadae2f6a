package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/mattn/go-sqlite3"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/partfile"
)

// CopyProgress tells how far a step of the work is, in pages.
type CopyProgress func(step string, done, total int)

// of returns the progress of one step.
func (p CopyProgress) of(step string) func(done, total int) {
	return func(done, total int) {
		if p != nil {
			p(step, done, total)
		}
	}
}

// Summary is what a database holds.
type Summary struct {
	Entities      int    `json:"entities"`
	Observations  int    `json:"observations"`
	Relations     int    `json:"relations"`
	SchemaVersion string `json:"schema_version"` // "unversioned" for databases of the Python server

	empty  bool
	schema string // all of it
}

// session is one connection, as itself and for SQL.
type session struct {
	*sql.DB
	conn *sqlite3.SQLiteConn
	path string
}

func openSession(path string, r role) (*session, error) {
	conn, err := connector{path, r}.open()
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(single{conn})
	pool.SetMaxOpenConns(1)
	return &session{pool, conn, path}, nil
}

// Close closes the connection, which the pool may not have taken yet.
func (s *session) Close() error {
	err := s.DB.Close()
	_ = s.conn.Close() // once more does nothing
	return err
}

// summary counts what there is; a database may be of any age.
func (s *session) summary(ctx context.Context) (Summary, error) {
	state, err := inspect(ctx, s, s.path)
	if err != nil {
		return Summary{}, err
	}
	sum := Summary{SchemaVersion: state.String(), empty: state.empty}
	if sum.schema, err = text(ctx, s, wholeSchema); err != nil {
		return Summary{}, err
	}
	for table, n := range map[string]*int{"entities": &sum.Entities, "observations": &sum.Observations, "relations": &sum.Relations} {
		if *n, err = countRows(ctx, s, table); err != nil {
			return Summary{}, err
		}
	}
	return sum, nil
}

// snapshot runs fn while all that s reads is of one moment.
func (s *session) snapshot(ctx context.Context, fn func() error) error {
	if err := run(ctx, s, "BEGIN"); err != nil {
		return err
	}
	_, err := number(ctx, s, countAnything) // only now it begins
	if err == nil {
		err = fn()
	}
	return errors.Join(err, run(context.WithoutCancel(ctx), s, "ROLLBACK"))
}

const (
	// pagesAtOnce is how many pages are copied between two looks at ctx.
	pagesAtOnce = 500
	// idleSteps is how often in a row copying may come no further.
	idleSteps = 20
)

// copyPages replaces all of a database by that of another, in one transaction.
// The source must be in a snapshot: SQLite begins anew whenever another process
// has written between two steps of a source without one, under constant writes for
// ever. VACUUM INTO, the other way to copy, allows no transaction around it, and
// so no comparison with what the source held at that moment.
func (s *session) copyPages(ctx context.Context, from *session, report func(done, total int)) (err error) {
	backup, err := s.conn.Backup("main", from.conn, "main")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, backup.Close()) }()
	for left, idle := -1, 0; ; {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		done, err := backup.Step(pagesAtOnce)
		if err != nil || done {
			return plainCode(err)
		}
		if idle++; left != backup.Remaining() {
			left, idle = backup.Remaining(), 0
		}
		if idle > idleSteps { // a lock, which the driver does not tell
			return memory.ErrBusy
		}
		report(backup.PageCount()-left, backup.PageCount())
	}
}

// plainCode puts a result in its two fields: the driver has all of it in the first when
// it copies.
func plainCode(err error) error {
	sqliteErr, ok := errors.AsType[sqlite3.Error](err)
	if !ok {
		return err
	}
	sqliteErr.Code, sqliteErr.ExtendedCode = sqliteErr.Code&0xff, sqlite3.ErrNoExtended(sqliteErr.Code)
	return sqliteErr
}

// part is a copy under a temporary name in the folder where it is to be.
type part struct {
	path    string
	file    *os.File // held, so that nobody takes it for left over
	summary Summary
}

// newPart makes an empty file beside path that only its owner may read.
func newPart(path string) (*part, error) {
	file, err := partfile.Create(path)
	if err != nil {
		return nil, err
	}
	return &part{path: file.Name(), file: file}, nil
}

// copyBeside copies a database into a file beside path, and proves that the
// copy is sound and holds what the source does.
func copyBeside(ctx context.Context, from *session, path string, report func(done, total int)) (*part, error) {
	p, err := newPart(path)
	if err != nil {
		return nil, err
	}
	err = from.snapshot(ctx, func() error {
		if p.summary, err = from.summary(ctx); err != nil {
			return err
		}
		return p.fill(ctx, from, report)
	})
	if err == nil {
		err = p.prove(ctx)
	}
	if err != nil {
		p.remove()
		return nil, err
	}
	return p, nil
}

// fill makes the part a copy in one file: the journal mode is copied, too.
func (p *part) fill(ctx context.Context, from *session, report func(done, total int)) error {
	to, err := openSession(p.path, plain)
	if err != nil {
		return err
	}
	defer to.Close()
	if err := to.copyPages(ctx, from, report); err != nil {
		if hasCode(err, sqlite3.ErrIoErr) || hasCode(err, sqlite3.ErrFull) {
			err = errors.Join(to.Close(), p.refusal(from.path), err)
		}
		return err
	}
	return errors.Join(run(ctx, to, "PRAGMA journal_mode = DELETE"), to.Close())
}

// refusal is what the operating system has against a copy that is as large as the
// source: SQLite does not tell, nor of which file it speaks. It is nil if there is
// nothing. What was copied is of no use by then.
func (p *part) refusal(source string) error {
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	zeros := make([]byte, 1<<20)
	for at := int64(0); at < info.Size(); at += int64(len(zeros)) {
		if _, err := p.file.WriteAt(zeros, at); err != nil {
			return err
		}
	}
	return p.file.Sync()
}

// prove refuses a copy that is damaged, or holds something else than the source.
func (p *part) prove(ctx context.Context) error {
	copied, err := openSession(p.path, inspector)
	if err != nil {
		return err
	}
	defer copied.Close()
	if err := copied.check(ctx); err != nil {
		return err
	}
	summary, err := copied.summary(ctx)
	if err == nil && summary != p.summary {
		err = fmt.Errorf("the copy holds %+v, not %+v", summary, p.summary)
	}
	return err
}

// check refuses a damaged database. What can be made anew may be damaged: it is the
// same in the copy, and mended there or here.
func (s *session) check(ctx context.Context) error {
	conn, err := s.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	v := &verifier{conn: conn, found: map[string]*Finding{}, unreadable: map[string]bool{}}
	if err := v.pages(ctx); err != nil {
		return err
	}
	if damage := v.found[CheckIntegrity]; damage != nil {
		return fmt.Errorf("%w (%s)", memory.ErrCorrupt, damage.Examples[0])
	}
	return nil
}

// rename gives the copy its name, for good.
func (p *part) rename(name string) error { return partfile.Finish(p.file, name) }

// remove removes what is left of a copy that has no name of its own.
func (p *part) remove() {
	_ = p.file.Close()
	for _, suffix := range append([]string{""}, besides...) {
		_ = os.Remove(p.path + suffix)
	}
}

// besides are the files that SQLite keeps beside a database.
var besides = []string{"-wal", "-shm", "-journal"}
