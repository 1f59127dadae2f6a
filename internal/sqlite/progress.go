package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"mcp-memory/gen/db"
)

// Progress is how far the vectors of a database are.
type Progress struct {
	Passages int // parts of entities that are embedded each by itself
	Done     int // those that have a vector
}

// What VectorProgress finds instead of vectors.
var (
	ErrNoDatabase  = errors.New("no database yet")
	ErrOlderSchema = errors.New("the database is migrated when the server starts next")
)

// VectorProgress counts the passages in the database at path, and those with a
// vector of a model: one whose id is modelID, or begins with it and a slash;
// empty is any model. It needs no DB, and may be called while others use the
// database, which it leaves as it is: the file, what lies beside it, its schema.
// Without a memory in it, it returns ErrNoDatabase; with one of an older schema,
// ErrOlderSchema; and errors as Open does.
func VectorProgress(ctx context.Context, path, modelID string) (Progress, error) {
	if err := lookable(path); err != nil {
		return Progress{}, err
	}
	progress, err := vectorProgress(ctx, path, modelID)
	if errors.Is(err, ErrNoDatabase) || errors.Is(err, ErrOlderSchema) {
		return Progress{}, err
	}
	return progress, openError(path, err)
}

// lookable refuses what is no file that could be a database, or was one, without opening it.
func lookable(path string) error {
	if err := refuseLoneLog(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	switch {
	case path == memoryPath, errors.Is(err, fs.ErrNotExist):
		return ErrNoDatabase
	case err != nil:
		return fileError(path, err)
	case info.IsDir():
		return &OpenError{Path: path, Reason: "it is a folder"}
	case !info.Mode().IsRegular(): // opening a pipe waits for its other end
		return &OpenError{Path: path, Reason: "it is not a regular file"}
	}
	return nil
}

func vectorProgress(ctx context.Context, path, modelID string) (Progress, error) {
	pool := openPool(path, onlooker)
	defer pool.Close()
	state, err := inspect(ctx, pool, path)
	switch {
	case err != nil:
		return Progress{}, err
	case state.empty:
		return Progress{}, ErrNoDatabase
	case !state.current():
		return Progress{}, ErrOlderSchema
	}
	n, err := db.New(pool).VectorProgress(ctx, modelID)
	if err != nil {
		return Progress{}, fmt.Errorf("count vectors: %w", err)
	}
	return Progress{Passages: int(n.Passages), Done: int(n.Done)}, nil
}
