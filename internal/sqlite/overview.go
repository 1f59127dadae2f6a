package sqlite

import (
	"context"
	"database/sql"

	"mcp-memory/gen/db"
)

// Overview is what a file is, before anything is checked.
type Overview struct {
	Empty   bool  // nothing is in it yet
	Adopted bool  // a server migrates it when it starts next, as it is the Python server's
	Version int64 // of its schema; LatestVersion is current
	Damaged bool  // so that nothing else is known
	Unnoted bool  // the schema is current, but the note of its version is gone, which Repair and Open make again

	// The rest is known of a database of the current version only.
	Passages int
	Models   []ModelCount // that made vectors, those with most first
	Whole    []ModelCount // that made documented vectors of entities, likewise
}

// Current reports whether the schema is the one that this program works with.
func (o Overview) Current() bool {
	return !o.Damaged && !o.Empty && !o.Adopted && o.Version == LatestVersion()
}

// ModelCount is how many passages, or entities, have their vector from a model.
type ModelCount struct {
	Model string // as memory.VectorsOf, or memory.WholeVectorsOf, names it
	Count int
}

// Survey looks at a file, and changes neither it nor what lies beside it. It
// returns ErrNoDatabase where there is no file, a *NewerError, or an *OpenError.
func Survey(ctx context.Context, path string) (Overview, error) {
	if err := lookable(path); err != nil {
		return Overview{}, err
	}
	o, err := survey(ctx, path)
	if isDamage(err) {
		return Overview{Damaged: true}, nil
	}
	return o, openError(path, err)
}

func survey(ctx context.Context, path string) (o Overview, err error) {
	pool := openPool(path, onlooker)
	defer pool.Close()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return o, err
	}
	defer conn.Close()
	state, err := inspect(ctx, conn, path)
	if err != nil {
		return o, err
	}
	o = Overview{Empty: state.empty, Adopted: !state.versioned && !state.empty, Version: state.version}
	if state.unnoted {
		o.Unnoted, err = isComplete(ctx, conn)
		o.Adopted = o.Adopted && !o.Unnoted
		return o, err
	}
	if !state.current() {
		return o, nil
	}
	passages, err := db.New(conn).CountPassages(ctx)
	if err != nil {
		return o, err
	}
	o.Passages = int(passages)
	if o.Models, err = modelCounts(ctx, conn, countByModel); err != nil {
		return o, err
	}
	o.Whole, err = modelCounts(ctx, conn, countWholeByModel)
	return o, err
}

func modelCounts(ctx context.Context, conn *sql.Conn, query string) (counts []ModelCount, err error) {
	err = each(ctx, conn, query, nil, func(scan func(...any) error) error {
		var m ModelCount
		err := scan(&m.Model, &m.Count)
		counts = append(counts, m)
		return err
	})
	return counts, err
}
