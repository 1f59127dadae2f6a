-- The documented vectors of whole entities. vec0 knows no REPLACE and never
-- reuses the room of a deleted row: UPDATE first, INSERT when no row changed.

-- name: UpdateVector :execrows
UPDATE entity_embeddings SET embedding = sqlc.arg(embedding) WHERE rowid = sqlc.arg(entity_id);

-- name: InsertVector :exec
INSERT INTO entity_embeddings (rowid, embedding) VALUES (sqlc.arg(entity_id), sqlc.arg(embedding));

-- name: DeleteVector :exec
DELETE FROM entity_embeddings WHERE rowid = sqlc.arg(entity_id);

-- name: PutVectorState :exec
INSERT INTO embedding_state (entity_id, model_id, text_hash, stale)
VALUES (sqlc.arg(entity_id), sqlc.arg(model_id), sqlc.arg(text_hash), 0)
ON CONFLICT (entity_id) DO UPDATE
SET model_id = excluded.model_id, text_hash = excluded.text_hash, stale = 0;

-- An empty model id stands for any model.

-- name: OutOfDate :many
SELECT e.id FROM entities e
WHERE e.id > sqlc.arg(after)
  AND NOT EXISTS (
      SELECT 1 FROM embedding_state s
      WHERE s.entity_id = e.id AND (s.model_id = sqlc.arg(model_id) OR CAST(sqlc.arg(model_id) AS TEXT) = '') AND s.stale = 0
  )
ORDER BY e.id
LIMIT sqlc.arg(size);
