-- vec0 knows no REPLACE and never reuses the room of a deleted row: UPDATE
-- first, INSERT when no row changed.

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

-- vec0 gives equal distances in no certain order and takes no second ORDER BY
-- term: both searches are sorted by their caller.

-- The k nearest of all vectors, and which of them are fresh.
-- name: NearestVectors :many
SELECT v.rowid AS entity_id, v.distance,
       CAST(EXISTS (
           SELECT 1 FROM embedding_state s
           WHERE s.entity_id = v.rowid AND s.model_id = sqlc.arg(model_id) AND s.stale = 0
       ) AS INTEGER) AS fresh
FROM entity_embeddings v
WHERE v.embedding MATCH sqlc.arg(embedding) AND v.k = sqlc.arg(k);

-- The k nearest of the fresh vectors alone; dearer, for the list of their ids.
-- name: NearestFreshVectors :many
SELECT v.rowid AS entity_id, v.distance FROM entity_embeddings v
WHERE v.embedding MATCH sqlc.arg(embedding) AND v.k = sqlc.arg(k)
  AND v.rowid IN (SELECT s.entity_id FROM embedding_state s WHERE s.model_id = sqlc.arg(model_id) AND s.stale = 0);

-- name: VectorDistances :many
SELECT v.rowid AS entity_id, CAST(vec_distance_cosine(v.embedding, CAST(sqlc.arg(embedding) AS BLOB)) AS REAL) AS distance
FROM entity_embeddings v
WHERE v.rowid IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)))
  AND EXISTS (
      SELECT 1 FROM embedding_state s
      WHERE s.entity_id = v.rowid AND s.model_id = sqlc.arg(model_id) AND s.stale = 0
  );

-- In these two an empty model id stands for any model.

-- name: OutOfDate :many
SELECT e.id FROM entities e
WHERE e.id > sqlc.arg(after)
  AND NOT EXISTS (
      SELECT 1 FROM embedding_state s
      WHERE s.entity_id = e.id AND (s.model_id = sqlc.arg(model_id) OR CAST(sqlc.arg(model_id) AS TEXT) = '') AND s.stale = 0
  )
ORDER BY e.id
LIMIT sqlc.arg(size);

-- name: CountOutOfDate :one
SELECT count(*) FROM entities e
WHERE NOT EXISTS (
    SELECT 1 FROM embedding_state s
    WHERE s.entity_id = e.id AND (s.model_id = sqlc.arg(model_id) OR CAST(sqlc.arg(model_id) AS TEXT) = '') AND s.stale = 0
);
