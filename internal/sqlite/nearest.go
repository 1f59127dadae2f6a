package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
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

// From what size on a search goes another way. Tests change them.
var (
	// fewPassing are so few entities that their vectors are looked at one by one,
	// 2 us each: the coarse index takes 150 ms for a tenth of 250,000 passages.
	fewPassing int64 = 20_000
	// manyShards are so many that it is worth while to search them in two halves
	// at the same time.
	manyShards int64 = 32
)

func (t readTx) NearestPassages(ctx context.Context, modelID string, v memory.QueryVector, f memory.Filter, k int) ([]memory.PassageNeighbour, error) {
	if k <= 0 || !isDirection(v.Neutral) || !isDirection(v.Exact) {
		return []memory.PassageNeighbour{}, nil
	}
	m, err := t.measureOf(ctx, modelID, v)
	if err != nil {
		return nil, err
	}
	k = min(k, maxNeighbours)
	nearest, enough := []memory.PassageNeighbour{}, false
	if isZero(f) {
		nearest, enough, err = t.nearestOfAll(ctx, m, k)
	}
	if err == nil && !enough {
		nearest, err = t.nearestAmong(ctx, m, f, k)
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(nearest, nearerFirst)
	return nearest[:min(k, len(nearest))], nil
}

// measure is what passages are measured by.
type measure struct {
	coarse []byte
	exact  db.MeasurePassagesParams // but for the ids
}

func (t readTx) measureOf(ctx context.Context, modelID string, v memory.QueryVector) (measure, error) {
	model, err := t.modelNumber(ctx, modelID)
	return measure{coarse(v.Neutral), db.MeasurePassagesParams{
		Exact: vectorBlob(v.Exact), Neutral: vectorBlob(v.Neutral), NeutralOffset: v.Offset,
		Model: sql.NullInt64{Int64: model, Valid: true},
	}}, err
}

// withSpare is how many to ask the coarse index for.
func withSpare(k int) int64 { return int64(min(k+max(spareNeighbours, k/3), maxNeighbours)) }

// of measures those of some passages that count.
func (m measure) of(ctx context.Context, q *db.Queries, ids []int64) ([]memory.PassageNeighbour, error) {
	m.exact.IDSJSON = idList(ids)
	rows, err := q.MeasurePassages(ctx, m.exact)
	if err != nil {
		return nil, fmt.Errorf("measure vectors: %w", err)
	}
	measured := make([]memory.PassageNeighbour, len(rows))
	for i, row := range rows {
		measured[i] = memory.PassageNeighbour(row)
	}
	return measured, nil
}

// nearestOfAll searches the whole index, and reports whether there is no nearer
// one that it did not see.
func (t readTx) nearestOfAll(ctx context.Context, m measure, k int) ([]memory.PassageNeighbour, bool, error) {
	ids, err := t.coarselyNearest(ctx, m.coarse, withSpare(k))
	if err != nil {
		return nil, false, fmt.Errorf("search vectors: %w", err)
	}
	nearest, err := m.of(ctx, t.q, ids)
	return nearest, len(nearest) >= k || int64(len(ids)) < withSpare(k), err
}

// nearestAmong searches those vectors alone that count.
func (t readTx) nearestAmong(ctx context.Context, m measure, f memory.Filter, k int) ([]memory.PassageNeighbour, error) {
	filter, err := filterOf(f)
	if err != nil {
		return nil, err
	}
	few, err := t.q.CountPassing(ctx, db.CountPassingParams{
		TypesJSON: filter.types, Since: filter.since, Until: filter.until, Most: fewPassing + 1,
	})
	if err != nil {
		return nil, fmt.Errorf("count what passes the filter: %w", err)
	}
	var ids []int64
	if few <= fewPassing {
		ids, err = t.q.NearestByVectorsAmong(ctx, db.NearestByVectorsAmongParams{
			Neutral: m.exact.Neutral, NeutralOffset: m.exact.NeutralOffset, K: int64(k), Model: m.exact.Model,
			TypesJSON: filter.types, Since: filter.since, Until: filter.until,
		})
	} else {
		ids, err = t.q.CoarseNearestAmong(ctx, db.CoarseNearestAmongParams{
			Coarse: m.coarse, K: withSpare(k), Model: m.exact.Model,
			TypesJSON: filter.types, Since: filter.since, Until: filter.until,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("search some vectors: %w", err)
	}
	return m.of(ctx, t.q, ids)
}

// coarselyNearest lists the k nearest passages by the coarse index.
func (t readTx) coarselyNearest(ctx context.Context, coarse any, k int64) ([]int64, error) {
	last, err := t.q.LastShard(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := t.searchShards(ctx, db.CoarseNearestParams{Coarse: coarse, K: k, LastShard: last})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b db.CoarseNearestRow) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.PassageID, b.PassageID))
	})
	ids := make([]int64, min(int(k), len(rows)))
	for i := range ids {
		ids[i] = rows[i].PassageID
	}
	return ids, nil
}

// searchShards searches shards, many of them in two halves on two connections if
// there is another one to be had. That may see another state of the database,
// and so overlook what has changed meanwhile; what it finds is looked up in this
// one's.
func (t readTx) searchShards(ctx context.Context, s db.CoarseNearestParams) ([]db.CoarseNearestRow, error) {
	if t.aside == nil || s.LastShard < manyShards || runtime.GOMAXPROCS(0) < 2 {
		return t.q.CoarseNearest(ctx, s)
	}
	upper := s
	upper.FirstShard = s.LastShard/2 + 1
	var found []db.CoarseNearestRow
	wait, ok := t.aside(ctx, func(q *db.Queries) (err error) {
		found, err = q.CoarseNearest(ctx, upper)
		return err
	})
	if !ok {
		return t.q.CoarseNearest(ctx, s)
	}
	s.LastShard = upper.FirstShard - 1
	rows, err := t.q.CoarseNearest(ctx, s)
	err = errors.Join(err, wait()) // before found is looked at
	return append(rows, found...), err
}

func (t readTx) NearestOf(ctx context.Context, modelID string, v memory.QueryVector, entityIDs []int64) ([]memory.PassageNeighbour, error) {
	nearest := []memory.PassageNeighbour{}
	if len(entityIDs) == 0 || !isDirection(v.Neutral) || !isDirection(v.Exact) {
		return nearest, nil
	}
	m, err := t.measureOf(ctx, modelID, v)
	if err != nil {
		return nil, err
	}
	m.exact.IDSJSON = idList(entityIDs)
	rows, err := t.q.NearestOf(ctx, db.NearestOfParams(m.exact))
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
