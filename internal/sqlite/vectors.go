package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/passage"
)

// isDirection reports whether a vector has an angle to others.
func isDirection(vector []float32) bool {
	n := norm(vector)
	return n > 0 && !math.IsNaN(n) && !math.IsInf(n, 0)
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
	blob, err := checkedBlob(vector)
	if err != nil {
		return fmt.Errorf("set vector of entity %d: %w", id, err)
	}
	return t.setVector(ctx, id, modelID, textHash, blob)
}

func (t writeTx) setVector(ctx context.Context, id int64, modelID, textHash string, blob []byte) error {
	// The state first: it refuses an id that is no entity's.
	err := t.q.PutVectorState(ctx, db.PutVectorStateParams{EntityID: id, ModelID: modelID, TextHash: textHash})
	if err != nil {
		return fmt.Errorf("set vector state of entity %d: %w", id, err)
	}
	changed, err := t.q.UpdateVector(ctx, db.UpdateVectorParams{EntityID: id, Embedding: blob})
	if err == nil && changed == 0 {
		err = t.q.InsertVector(ctx, db.InsertVectorParams{EntityID: id, Embedding: blob})
	}
	if err != nil {
		return fmt.Errorf("set vector of entity %d: %w", id, err)
	}
	return nil
}

// checkedBlob refuses what cannot be searched.
func checkedBlob(vector []float32) ([]byte, error) {
	if len(vector) != memory.Dimensions || !isDirection(vector) {
		return nil, fmt.Errorf("%d numbers are not a direction of %d dimensions", len(vector), memory.Dimensions)
	}
	return vectorBlob(vector), nil
}

// SetVectorOf takes the vector of a passage from the same model: behind a slash, the
// ids of both have the forms of whole texts and of passages.
func (t writeTx) SetVectorOf(ctx context.Context, id int64, modelID, textHash, passageHash string) (bool, error) {
	blobs, err := t.q.VectorOfPassage(ctx, db.VectorOfPassageParams{
		EntityID: sql.NullInt64{Int64: id, Valid: true}, TextHash: passageHash, ModelID: memory.VectorsOf(modelOfWhole(modelID)),
	})
	if err != nil {
		return false, fmt.Errorf("look up a passage of entity %d: %w", id, err)
	}
	if len(blobs) == 0 {
		return false, nil
	}
	return true, t.setVector(ctx, id, modelID, textHash, blobs[0])
}

// modelOfWhole is the id of a model in that of what makes vectors of whole texts.
func modelOfWhole(id string) string { return strings.TrimSuffix(id, "/text"+passage.FormatVersion) }

func (t writeTx) SetPassageVector(ctx context.Context, passageID int64, modelID, textHash string, v memory.PassageVector) error {
	exact, err := checkedBlob(v.Exact)
	if err == nil {
		_, err = checkedBlob(v.Neutral)
	}
	if err == nil && !(v.Length > 0) {
		err = fmt.Errorf("%v is no length", v.Length)
	}
	if err == nil {
		err = t.setPassageVector(ctx, passageID, modelID, textHash, exact, v)
	}
	if err != nil {
		return fmt.Errorf("set vector of passage %d: %w", passageID, err)
	}
	return nil
}

func (t writeTx) setPassageVector(ctx context.Context, id int64, modelID, textHash string, exact []byte, v memory.PassageVector) error {
	model, err := t.newModelNumber(ctx, modelID)
	if err != nil {
		return err
	}
	same, err := t.q.SetPassageModel(ctx, db.SetPassageModelParams{
		ID: id, TextHash: textHash, Model: sql.NullInt64{Int64: model, Valid: true},
	})
	if err != nil || same == 0 {
		return err
	}
	if err := t.q.PutPassageVector(ctx, db.PutPassageVectorParams{PassageID: id, NeutralLength: v.Length, Embedding: exact}); err != nil {
		return err
	}
	if err := t.q.DeleteCoarse(ctx, id); err != nil {
		return err
	}
	return t.q.InsertCoarse(ctx, db.InsertCoarseParams{PassageID: id, Embedding: coarse(v.Neutral)})
}

// newModelNumber is modelNumber that gives a new model a number.
func (t writeTx) newModelNumber(ctx context.Context, modelID string) (int64, error) {
	if modelID == "" {
		return 0, errors.New("a vector needs the id of its model")
	}
	number, err := t.modelNumber(ctx, modelID)
	if err != nil || number != unknownModel {
		return number, err
	}
	return t.q.InsertEmbeddingModel(ctx, modelID)
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
