package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"mcp-memory/gen/db"
)

// The checks of Verify, in the order of its findings.
const (
	CheckIntegrity          = "integrity"           // pages, tables and indexes by SQLite's own check; nothing else is looked at when it fails
	CheckSchema             = "schema"              // tables, indexes, triggers; likewise
	CheckForeign            = "foreign"             // what other programs put on these tables, which acts when they are written
	CheckMetadata           = "metadata"            // notes in db_metadata
	CheckForeignKeys        = "foreign-keys"        // references to other rows than entities
	CheckOrphanObservations = "orphan-observations" // of no entity
	CheckOrphanRelations    = "orphan-relations"    // likewise
	CheckOrphanAccess       = "orphan-access"       // likewise
	CheckOrphanPairs        = "orphan-pairs"        // likewise, of co-occurrences
	CheckOrphanStates       = "orphan-states"       // likewise, of embedding_state
	CheckOrphanRenewals     = "orphan-renewals"     // likewise, marks of what is to be made anew; of passages, too
	CheckPairs              = "pairs"               // co-occurrences with itself, or in the wrong order
	CheckTexts              = "texts"               // names, types and contents that are none
	CheckValues             = "values"              // counts and times that are none
	CheckIDs                = "ids"                 // that leave no room for new rows
	CheckSequences          = "sequences"           // counts of ids that are far beyond all ids, and near the end
	CheckNames              = "names"               // that only look different to a program
	CheckText               = "entity-text"         // folded texts
	CheckFTS                = "entity-fts"          // the documented word index
	CheckTrigrams           = "entity-trigrams"     // which text holds which trigrams
	CheckEntityTerms        = "entity-terms"        // words of entities
	CheckPassages           = "passages"            // how entities are cut
	CheckPassageTerms       = "passage-terms"       // words of passages
	CheckVectors            = "passage-vectors"     // exact vectors of passages
	CheckCoarse             = "passage-embeddings"  // coarse vectors of passages
	CheckCoarseChunks       = "passage-chunks"      // whether searches see the same of them
	CheckWhole              = "entity-embeddings"   // documented vectors of entities
	CheckWholeChunks        = "entity-chunks"       // whether searches see the same of them
	CheckStates             = "embedding-state"     // what those were made from
)

var checkOrder = []string{
	CheckIntegrity, CheckSchema, CheckForeign, CheckMetadata, CheckForeignKeys, CheckOrphanObservations, CheckOrphanRelations,
	CheckOrphanAccess, CheckOrphanPairs, CheckOrphanStates, CheckOrphanRenewals, CheckPairs, CheckTexts, CheckValues, CheckIDs, CheckSequences,
	CheckNames, CheckText, CheckFTS, CheckTrigrams, CheckEntityTerms, CheckPassages, CheckPassageTerms, CheckVectors, CheckCoarse,
	CheckCoarseChunks, CheckWhole, CheckWholeChunks, CheckStates,
}

// Report is what Verify found.
type Report struct {
	Findings []Finding // what is wrong, at most one of each check
	Entities int
	Passages int
	Pending  Pending
	Partial  bool // NULL stands where a text belongs: names and all that is made from texts were not looked at
}

// Pending is what servers have left to do, which is nothing wrong.
type Pending struct {
	Entities int // to be indexed anew; some may be gone
	Passages int // without a vector
	Vectors  int // entities without an up-to-date vector of the whole text
}

// Finding is something wrong.
type Finding struct {
	Check    string   // one of the checks
	Count    int      // how often
	Examples []string // some of them, for people
}

// maxExamples is how many examples a finding has.
const maxExamples = 5

// OK reports whether nothing is wrong.
func (r Report) OK() bool { return len(r.Findings) == 0 }

// Has reports whether a check found something.
func (r Report) Has(check string) bool {
	for _, f := range r.Findings {
		if f.Check == check {
			return true
		}
	}
	return false
}

// String lists the findings, for logs and tests.
func (r Report) String() string {
	if r.OK() {
		return "ok"
	}
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s: %d: %q\n", f.Check, f.Count, f.Examples)
	}
	return b.String()
}

// Verify checks a database: its pages, its rows, and whether everything that is
// made from entities, observations and relations is what would be made from them
// now. It sees one state of the database, and changes neither that nor any file
// beside it. Errors are those of VectorProgress: a damaged file is a finding.
func Verify(ctx context.Context, path string) (Report, error) {
	v, err := verified(ctx, path)
	return v.report(), err
}

// verified is a verifier that is done.
func verified(ctx context.Context, path string) (*verifier, error) {
	for {
		if err := lookable(path); err != nil {
			return &verifier{}, err
		}
		before := seen(path)
		v, err := verify(ctx, path)
		// Without a -wal file, the database was read as one that nobody changes.
		if !before.shared && before != seen(path) && ctx.Err() == nil {
			continue
		}
		if errors.Is(err, ErrNoDatabase) || errors.Is(err, ErrOlderSchema) {
			return &verifier{}, err
		}
		return v, openError(path, err)
	}
}

// state of a file as others may change it.
type fileState struct {
	shared         bool // there is a -wal file
	size, modified int64
}

func seen(path string) fileState {
	if _, err := os.Stat(path + "-wal"); err == nil {
		return fileState{shared: true}
	}
	info, err := os.Stat(path)
	if err != nil {
		return fileState{}
	}
	return fileState{size: info.Size(), modified: info.ModTime().UnixNano()}
}

func verify(ctx context.Context, path string) (*verifier, error) {
	pool := openPool(path, onlooker)
	defer pool.Close()
	v := &verifier{found: map[string]*Finding{}, unreadable: map[string]bool{}}
	err := v.verify(ctx, pool, path)
	if isDamage(err) {
		v.add(CheckIntegrity, "%v", err)
		err = nil
	}
	return v, err
}

// verifier looks at a database by one connection.
type verifier struct {
	conn    *sql.Conn
	t       readTx
	found   map[string]*Finding
	counted Report // but for the findings

	stale    []int64        // entities with a vector of another text
	bad      []int64        // passages with a vector that is not to be used
	odd      bool           // there are passages that cannot be read
	outdated map[int64]bool // entities whose index is to be written anew
	terms    map[termIndex]digests

	unreadable map[string]bool // derived tables
}

func (v *verifier) verify(ctx context.Context, pool *sql.DB, path string) (err error) {
	if v.conn, err = pool.Conn(ctx); err != nil {
		return err
	}
	defer v.conn.Close()
	v.t = readTx{q: db.New(v.conn)}
	state, err := inspect(ctx, v.conn, path)
	switch {
	case err != nil:
		return err
	case state.empty:
		return ErrNoDatabase
	}
	// Temporary tables are not to be files.
	if err := run(ctx, v.conn, "PRAGMA temp_store = MEMORY"); err != nil {
		return err
	}
	if err := run(ctx, v.conn, "BEGIN"); err != nil {
		return err
	}
	defer func() { _ = run(context.WithoutCancel(ctx), v.conn, "ROLLBACK") }()
	if state.current() { // before the pages, of which SQLite has virtual tables look at theirs
		if err := v.storage(ctx); err != nil || v.found[CheckSchema] != nil {
			return err
		}
	}
	if err := v.pages(ctx); err != nil || v.found[CheckIntegrity] != nil {
		return err
	}
	if !state.current() {
		return ErrOlderSchema
	}
	if err := v.schema(ctx); err != nil || v.found[CheckSchema] != nil {
		return err
	}
	for _, check := range []func(context.Context) error{v.count, v.rows, v.names, v.index, v.vectors} {
		if err := check(ctx); err != nil || v.counted.Partial {
			return err
		}
	}
	return nil
}

// add notes something wrong.
func (v *verifier) add(check, format string, args ...any) {
	f := v.found[check]
	if f == nil {
		f = &Finding{Check: check}
		v.found[check] = f
	}
	f.Count++
	if len(f.Examples) < maxExamples {
		f.Examples = append(f.Examples, fmt.Sprintf(format, args...))
	}
}

func (v *verifier) report() Report {
	r := v.counted
	for _, check := range checkOrder {
		if f := v.found[check]; f != nil {
			r.Findings = append(r.Findings, *f)
		}
	}
	return r
}

func (v *verifier) each(ctx context.Context, query string, args []any, fn func(scan func(...any) error) error) error {
	return each(ctx, v.conn, query, args, fn)
}

// each runs a query and calls fn for each row, to scan it.
func each(ctx context.Context, conn *sql.Conn, query string, args []any, fn func(scan func(...any) error) error) error {
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// addAll notes each row of a query, a text, as something wrong.
func (v *verifier) addAll(ctx context.Context, check, query string, args ...any) error {
	err := v.each(ctx, query, args, func(scan func(...any) error) error {
		var example string
		if err := scan(&example); err != nil {
			return err
		}
		v.add(check, "%s", example)
		return nil
	})
	if err != nil {
		return fmt.Errorf("check %s: %w", check, err)
	}
	return nil
}

// Checks lists all checks, in the order of findings.
func Checks() []string { return slices.Clone(checkOrder) }
