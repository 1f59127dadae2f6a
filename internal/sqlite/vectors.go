package sqlite

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
)

const (
	// maxNeighbours is the most that vec0 answers at once.
	maxNeighbours = 4096
	// spareNeighbours are asked for beyond what is wanted: some may be out of
	// date, and of equally near ones all are needed to take the lowest ids.
	spareNeighbours = 32
)

func (t readTx) Nearest(ctx context.Context, modelID string, vector []float32, k int) ([]memory.Neighbour, error) {
	if k <= 0 || !isDirection(vector) {
		return []memory.Neighbour{}, nil
	}
	blob := vectorBlob(vector)
	ask := min(k, maxNeighbours) + spareNeighbours
	ask = min(ask, maxNeighbours)
	rows, err := t.q.NearestVectors(ctx, db.NearestVectorsParams{Embedding: blob, K: int64(ask), ModelID: modelID})
	if err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	nearest := []memory.Neighbour{}
	for _, row := range rows {
		if row.Fresh != 0 && row.Distance.Valid {
			nearest = append(nearest, memory.Neighbour{EntityID: row.EntityID, Distance: row.Distance.Float64})
		}
	}
	if len(nearest) < k && len(rows) == ask {
		// The index has more, but those out of date stand in front.
		if nearest, err = t.nearestFresh(ctx, modelID, blob, ask); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(nearest, nearerFirst)
	return nearest[:min(k, len(nearest))], nil
}

func (t readTx) nearestFresh(ctx context.Context, modelID string, blob []byte, k int) ([]memory.Neighbour, error) {
	rows, err := t.q.NearestFreshVectors(ctx, db.NearestFreshVectorsParams{Embedding: blob, K: int64(k), ModelID: modelID})
	if err != nil {
		return nil, fmt.Errorf("search fresh vectors: %w", err)
	}
	nearest := []memory.Neighbour{}
	for _, row := range rows {
		if row.Distance.Valid {
			nearest = append(nearest, memory.Neighbour{EntityID: row.EntityID, Distance: row.Distance.Float64})
		}
	}
	return nearest, nil
}

func (t readTx) Distances(ctx context.Context, modelID string, vector []float32, ids []int64) ([]memory.Neighbour, error) {
	distances := []memory.Neighbour{}
	if len(ids) == 0 || !isDirection(vector) {
		return distances, nil
	}
	rows, err := t.q.VectorDistances(ctx, db.VectorDistancesParams{
		Embedding: vectorBlob(vector), IDSJSON: idList(ids), ModelID: modelID,
	})
	if err != nil {
		return nil, fmt.Errorf("measure vectors: %w", err)
	}
	for _, row := range rows {
		distances = append(distances, memory.Neighbour{EntityID: row.EntityID, Distance: row.Distance})
	}
	slices.SortFunc(distances, nearerFirst)
	return distances, nil
}

// nearerFirst orders by distance, ties by id.
func nearerFirst(a, b memory.Neighbour) int {
	return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.EntityID, b.EntityID))
}

// isDirection reports whether a vector has an angle to others.
func isDirection(vector []float32) bool {
	var sum float64
	for _, x := range vector {
		sum += float64(x) * float64(x)
	}
	return sum > 0 && !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

// vectorBlob writes a vector as vec0 stores it: float32, little endian.
func vectorBlob(vector []float32) []byte {
	blob := make([]byte, 0, 4*len(vector))
	for _, x := range vector {
		blob = binary.LittleEndian.AppendUint32(blob, math.Float32bits(x))
	}
	return blob
}

func (t readTx) OutOfDate(ctx context.Context, modelID string, after int64, limit int) ([]int64, error) {
	ids, err := t.q.OutOfDate(ctx, db.OutOfDateParams{After: after, ModelID: modelID, Size: rowLimit(limit)})
	if err != nil {
		return nil, fmt.Errorf("list vectors out of date: %w", err)
	}
	return ids, nil
}

func (t readTx) CountOutOfDate(ctx context.Context, modelID string) (int, error) {
	n, err := t.q.CountOutOfDate(ctx, modelID)
	if err != nil {
		return 0, fmt.Errorf("count vectors out of date: %w", err)
	}
	return int(n), nil
}

// modelKey is the key in db_metadata of the model that made the vectors.
const modelKey = "embedding_model"

// modelNote is the value of modelKey.
type modelNote struct {
	ID         string `json:"id"`
	Dimensions int    `json:"dimensions"`
	TextFormat string `json:"text_format"`
}

func (t readTx) Model(ctx context.Context) (string, error) {
	value, err := t.q.Metadata(ctx, modelKey)
	if err != nil {
		return "", fmt.Errorf("read which model made the vectors: %w", err)
	}
	var note modelNote
	_ = json.Unmarshal([]byte(value), &note) // what other programs wrote there is no note
	return note.ID, nil
}

func (t writeTx) SetVector(ctx context.Context, id int64, modelID, textHash string, vector []float32) error {
	if len(vector) != memory.Dimensions || !isDirection(vector) {
		return fmt.Errorf("set vector of entity %d: %d numbers are not a direction of %d dimensions", id, len(vector), memory.Dimensions)
	}
	// The state first: it refuses an id that is no entity's.
	err := t.q.PutVectorState(ctx, db.PutVectorStateParams{EntityID: id, ModelID: modelID, TextHash: textHash})
	if err != nil {
		return fmt.Errorf("set vector state of entity %d: %w", id, err)
	}
	blob := vectorBlob(vector)
	changed, err := t.q.UpdateVector(ctx, db.UpdateVectorParams{EntityID: id, Embedding: blob})
	if err == nil && changed == 0 {
		err = t.q.InsertVector(ctx, db.InsertVectorParams{EntityID: id, Embedding: blob})
	}
	if err != nil {
		return fmt.Errorf("set vector of entity %d: %w", id, err)
	}
	return nil
}

func (t writeTx) SetModel(ctx context.Context, modelID string, dimensions int, textFormat string) error {
	value, err := json.Marshal(modelNote{modelID, dimensions, textFormat})
	if err != nil {
		return fmt.Errorf("describe model: %w", err)
	}
	if err := t.q.PutMetadata(ctx, db.PutMetadataParams{Key: modelKey, Value: string(value)}); err != nil {
		return fmt.Errorf("note model: %w", err)
	}
	return nil
}
