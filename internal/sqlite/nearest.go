package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

const (
	// maxNeighbours is the most that vec0 answers at once.
	maxNeighbours = 4096
	// spareNeighbours are asked for beyond what is wanted, or a third if that is
	// more: the coarse order is not exact, and some may not count. Among 300,000
	// vectors, the 30 nearest were always within the 40 nearest by coarse order.
	// Each costs a look at every chunk.
	spareNeighbours = 10
)

func (t readTx) NearestPassages(ctx context.Context, modelID string, v memory.QueryVector, f memory.Filter, k int) ([]memory.PassageNeighbour, error) {
	if k <= 0 || !isDirection(v.Neutral) || !isDirection(v.Exact) {
		return []memory.PassageNeighbour{}, nil
	}
	s, err := t.neighbourSearch(ctx, modelID, v, f, k)
	if err != nil {
		return nil, err
	}
	nearest, enough := []memory.PassageNeighbour{}, false
	if isZero(f) {
		nearest, enough, err = t.nearestOfAll(ctx, s, k)
	}
	if err == nil && !enough {
		nearest, err = t.nearestAmong(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(nearest, nearerFirst)
	return nearest[:min(k, len(nearest))], nil
}

// neighbourSearch is what is asked of the index.
func (t readTx) neighbourSearch(ctx context.Context, modelID string, v memory.QueryVector, f memory.Filter, k int) (db.NearestPassagesAmongParams, error) {
	model, err := t.modelNumber(ctx, modelID)
	if err != nil {
		return db.NearestPassagesAmongParams{}, err
	}
	filter, err := filterOf(f)
	return db.NearestPassagesAmongParams{
		Coarse: coarse(v.Neutral), Exact: vectorBlob(v.Exact), Neutral: vectorBlob(v.Neutral), NeutralOffset: v.Offset,
		K:     int64(min(min(k, maxNeighbours)+max(spareNeighbours, k/3), maxNeighbours)),
		Model: sql.NullInt64{Int64: model, Valid: true},

		TypesJSON: filter.types, Since: filter.since, Until: filter.until,
	}, err
}

// nearestOfAll searches the whole index, and reports whether there is no nearer
// one that it did not see.
func (t readTx) nearestOfAll(ctx context.Context, s db.NearestPassagesAmongParams, k int) ([]memory.PassageNeighbour, bool, error) {
	rows, err := t.q.NearestPassages(ctx, db.NearestPassagesParams{
		Coarse: s.Coarse, Exact: s.Exact, Neutral: s.Neutral, NeutralOffset: s.NeutralOffset, K: s.K, Model: s.Model,
	})
	if err != nil {
		return nil, false, fmt.Errorf("search vectors: %w", err)
	}
	nearest := make([]memory.PassageNeighbour, 0, len(rows))
	for _, row := range rows {
		if row.EntityID != 0 {
			nearest = append(nearest, memory.PassageNeighbour(row))
		}
	}
	return nearest, len(nearest) >= min(k, maxNeighbours) || int64(len(rows)) < s.K, nil
}

// nearestAmong searches those vectors alone that count.
func (t readTx) nearestAmong(ctx context.Context, s db.NearestPassagesAmongParams) ([]memory.PassageNeighbour, error) {
	rows, err := t.q.NearestPassagesAmong(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("search some vectors: %w", err)
	}
	nearest := make([]memory.PassageNeighbour, len(rows))
	for i, row := range rows {
		nearest[i] = memory.PassageNeighbour(row)
	}
	return nearest, nil
}

func (t readTx) NearestOf(ctx context.Context, modelID string, v memory.QueryVector, entityIDs []int64) ([]memory.PassageNeighbour, error) {
	nearest := []memory.PassageNeighbour{}
	if len(entityIDs) == 0 || !isDirection(v.Neutral) || !isDirection(v.Exact) {
		return nearest, nil
	}
	model, err := t.modelNumber(ctx, modelID)
	if err != nil {
		return nil, err
	}
	rows, err := t.q.NearestOf(ctx, db.NearestOfParams{
		Exact: vectorBlob(v.Exact), Neutral: vectorBlob(v.Neutral), NeutralOffset: v.Offset,
		IDSJSON: idList(entityIDs), Model: sql.NullInt64{Int64: model, Valid: true},
	})
	if err != nil {
		return nil, fmt.Errorf("measure vectors: %w", err)
	}
	for _, row := range rows {
		nearest = append(nearest, memory.PassageNeighbour(row))
	}
	slices.SortFunc(nearest, nearerFirst)
	return nearest, nil
}

// nearerFirst orders by likeness, ties by id.
func nearerFirst(a, b memory.PassageNeighbour) int {
	return cmp.Or(cmp.Compare(b.Likeness, a.Likeness), cmp.Compare(a.PassageID, b.PassageID))
}

// filter is a memory.Filter as the queries take it.
type filter struct{ types, since, until string }

func isZero(f memory.Filter) bool { return f.Types == nil && f.Since.IsZero() && f.Until.IsZero() }

// filterOf writes a filter. Stored times are texts, to the second; what is open
// is less or more than all of them.
func filterOf(f memory.Filter) (filter, error) {
	types, err := json.Marshal(f.Types)
	if err != nil {
		return filter{}, fmt.Errorf("list types: %w", err)
	}
	written := filter{types: string(types), until: "~"}
	if !f.Since.IsZero() {
		written.since = formatTime(f.Since.Add(time.Second - time.Nanosecond))
	}
	if !f.Until.IsZero() {
		written.until = formatTime(f.Until)
	}
	return written, nil
}
