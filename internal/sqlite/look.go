package sqlite

import "context"

// Look opens the database at path to be read alone, and leaves it and what lies
// beside it as they are; others may use it meanwhile. Where there is no memory it
// returns ErrNoDatabase, for one of an older schema ErrOlderSchema, and errors as
// Open does.
func Look(ctx context.Context, path string, o Options) (*DB, error) {
	if err := lookable(path); err != nil {
		return nil, err
	}
	d := newDB(o)
	d.connections = &connections{db: openPool(path, onlooker)}
	state, err := inspect(ctx, d.connections.db, path)
	switch {
	case err != nil:
		err = openError(path, err)
	case state.empty:
		err = ErrNoDatabase
	case !state.current():
		err = ErrOlderSchema
	}
	d.readers = newPool(d.connections, 1)
	d.writer = d.readers
	if err != nil {
		_ = d.Close()
		return nil, err
	}
	return d, nil
}
