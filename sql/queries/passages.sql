-- Passages and their vectors. A row without an entity is a free slot.

-- name: PassagesOf :many
SELECT p.id, CAST(p.entity_id AS INTEGER) AS entity_id, p.ordinal, p.first_observation, p.last_observation, p.text_hash,
       CAST(p.model IS NOT NULL AS INTEGER) AS has_vector,
       CAST(EXISTS (SELECT 1 FROM passage_terms w WHERE w.rowid = p.id) AS INTEGER) AS has_terms
FROM passages p
WHERE p.entity_id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)))
ORDER BY p.entity_id, p.ordinal;

-- name: FreePassages :many
SELECT id FROM passages
WHERE entity_id IS NULL AND ordinal = 0 AND id > sqlc.arg(after)
ORDER BY id
LIMIT sqlc.arg(size);

-- name: CountPassages :one
SELECT CAST(coalesce((SELECT max(id) FROM passages), 0)
     - (SELECT count(*) FROM passages WHERE entity_id IS NULL) AS INTEGER) AS passages;

-- How many passages there are, and how many of them have a vector of certain
-- weights: of a model whose id is the given one, or begins with it and a slash.
-- An empty id is that of any weights.
-- name: VectorProgress :one
SELECT CAST(coalesce((SELECT max(id) FROM passages), 0)
     - (SELECT count(*) FROM passages WHERE entity_id IS NULL) AS INTEGER) AS passages,
       CAST((SELECT count(*) FROM passages p
        WHERE p.entity_id IS NOT NULL
          AND p.model IN (
            SELECT m.id FROM embedding_models m
            WHERE CAST(sqlc.arg(weights_id) AS TEXT) = ''
               OR substr(m.model || '/', 1, length(CAST(sqlc.arg(weights_id) AS TEXT)) + 1) = CAST(sqlc.arg(weights_id) AS TEXT) || '/'
          )) AS INTEGER) AS done;

-- name: InsertPassage :execlastid
INSERT INTO passages (entity_id, ordinal, first_observation, last_observation, text_hash)
VALUES (sqlc.arg(entity_id), sqlc.arg(ordinal), sqlc.arg(first_observation), sqlc.arg(last_observation), sqlc.arg(text_hash));

-- The model goes: what had a vector had it of another text.
-- name: ReplacePassage :exec
UPDATE passages
SET entity_id = sqlc.arg(entity_id), ordinal = sqlc.arg(ordinal), first_observation = sqlc.arg(first_observation),
    last_observation = sqlc.arg(last_observation), text_hash = sqlc.arg(text_hash), model = NULL
WHERE id = sqlc.arg(id);

-- name: MovePassage :exec
UPDATE passages
SET ordinal = sqlc.arg(ordinal), first_observation = sqlc.arg(first_observation), last_observation = sqlc.arg(last_observation)
WHERE id = sqlc.arg(id);

-- name: FreePassage :exec
UPDATE passages
SET entity_id = NULL, ordinal = 0, first_observation = NULL, last_observation = NULL, text_hash = '', model = NULL
WHERE id = sqlc.arg(id);

-- name: PutPassageTerms :exec
INSERT OR REPLACE INTO passage_terms (rowid, terms) VALUES (sqlc.arg(passage_id), sqlc.arg(terms));

-- name: DeletePassageTerms :exec
DELETE FROM passage_terms WHERE rowid = sqlc.arg(passage_id);

-- name: DeleteAllPassageTerms :exec
INSERT INTO passage_terms (passage_terms) VALUES ('delete-all');

-- name: PassagesByID :many
SELECT p.id, CAST(p.entity_id AS INTEGER) AS entity_id, p.ordinal, p.text_hash
FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)) j
JOIN passages p ON p.id = j.value
WHERE p.entity_id IS NOT NULL AND p.entity_id NOT IN (SELECT o.entity_id FROM text_outdated o)
ORDER BY j.key;

-- Passages with a vector of a certain model, or of none, which is NULL.
-- name: PassagesOfModel :many
SELECT p.id, CAST(p.entity_id AS INTEGER) AS entity_id, p.ordinal, p.text_hash
FROM passages p
WHERE p.entity_id IS NOT NULL
  AND p.model IS sqlc.narg(model)
  AND p.id > sqlc.arg(after)
  AND p.entity_id NOT IN (SELECT o.entity_id FROM text_outdated o)
ORDER BY p.id
LIMIT sqlc.arg(size);

-- Without a vector, or with one of another model; NULL is every model. In parts,
-- for SQLite would read the whole index for an OR.
-- name: CountPassagesDue :one
SELECT count(*) AS passages, count(DISTINCT d.entity_id) AS entities
FROM (
    SELECT p.entity_id FROM passages p WHERE p.entity_id IS NOT NULL AND p.model IS NULL
    UNION ALL
    SELECT p.entity_id FROM passages p WHERE p.entity_id IS NOT NULL AND p.model < sqlc.narg(model)
    UNION ALL
    SELECT p.entity_id FROM passages p WHERE p.entity_id IS NOT NULL AND p.model > sqlc.narg(model)
) d
WHERE d.entity_id NOT IN (SELECT o.entity_id FROM text_outdated o);

-- name: EmbeddingModel :one
SELECT CAST(coalesce((SELECT id FROM embedding_models WHERE model = sqlc.arg(model)), 0) AS INTEGER) AS id;

-- name: EmbeddingModels :many
SELECT id FROM embedding_models ORDER BY id;

-- name: InsertEmbeddingModel :execlastid
INSERT INTO embedding_models (model) VALUES (sqlc.arg(model));

-- name: SetPassageModel :execrows
UPDATE passages SET model = sqlc.arg(model)
WHERE id = sqlc.arg(id) AND text_hash = sqlc.arg(text_hash) AND entity_id IS NOT NULL;

-- name: PutPassageVector :exec
INSERT INTO passage_vectors (passage_id, neutral_length, embedding)
VALUES (sqlc.arg(passage_id), sqlc.arg(neutral_length), sqlc.arg(embedding))
ON CONFLICT (passage_id) DO UPDATE SET neutral_length = excluded.neutral_length, embedding = excluded.embedding;

-- name: DeletePassageVector :exec
DELETE FROM passage_vectors WHERE passage_id = sqlc.arg(passage_id);

-- name: DeleteCoarse :exec
DELETE FROM passage_embeddings WHERE rowid = sqlc.arg(passage_id);

-- The number is that of vectors in a chunk.
-- name: InsertCoarse :exec
INSERT INTO passage_embeddings (rowid, shard, embedding)
VALUES (sqlc.arg(passage_id), (sqlc.arg(passage_id) - 1) / 1024, vec_int8(sqlc.arg(embedding)));

-- The vector of a passage by its text, of a model whose id is the beginning of
-- the given one, up to a slash or its end.
-- name: VectorOfPassage :many
SELECT x.embedding
FROM passages p
JOIN embedding_models m ON m.id = p.model
JOIN passage_vectors x ON x.passage_id = p.id
WHERE p.entity_id = sqlc.arg(entity_id)
  AND p.text_hash = sqlc.arg(text_hash)
  AND substr(CAST(sqlc.arg(model_id) AS TEXT) || '/', 1, length(m.model) + 1) = m.model || '/'
LIMIT 1;

-- In what follows, 0 stands for any model. vec0 gives equal distances in no
-- certain order, and takes no second ORDER BY term: the caller sorts. Likeness
-- is the cosine of neutral vectors: that of a passage is not stored, but the
-- query's lies in the same space, so that its inner product with the exact one
-- differs by an offset and the length only. Exact and neutral are unit vectors,
-- of which 1 - distance is the inner product.

-- The nearest by the coarse index. Those that do not count have the entity 0.
-- name: NearestPassages :many
SELECT v.rowid AS passage_id,
       CAST(CASE WHEN x.passage_id IS NULL THEN 0 ELSE p.entity_id END AS INTEGER) AS entity_id,
       CAST(CASE WHEN x.passage_id IS NULL THEN 0 ELSE vec_distance_cosine(x.embedding, CAST(sqlc.arg(exact) AS BLOB)) END AS REAL) AS distance,
       CAST(CASE WHEN x.passage_id IS NULL THEN 0
            ELSE (1 - vec_distance_cosine(x.embedding, CAST(sqlc.arg(neutral) AS BLOB)) - CAST(sqlc.arg(neutral_offset) AS REAL)) / x.neutral_length END AS REAL) AS likeness
FROM passage_embeddings v
LEFT JOIN passages p ON p.id = v.rowid
    AND p.entity_id IS NOT NULL
    AND (p.model = sqlc.arg(model) OR (CAST(sqlc.arg(model) AS INTEGER) = 0 AND p.model IS NOT NULL))
    AND p.entity_id NOT IN (SELECT o.entity_id FROM text_outdated o)
LEFT JOIN passage_vectors x ON x.passage_id = p.id
WHERE v.embedding MATCH vec_int8(sqlc.arg(coarse)) AND v.k = sqlc.arg(k);

-- Likewise, of those alone that count and pass a filter; dearer, for their list.
-- name: NearestPassagesAmong :many
SELECT p.id AS passage_id, CAST(p.entity_id AS INTEGER) AS entity_id,
       CAST(vec_distance_cosine(x.embedding, CAST(sqlc.arg(exact) AS BLOB)) AS REAL) AS distance,
       CAST((1 - vec_distance_cosine(x.embedding, CAST(sqlc.arg(neutral) AS BLOB)) - CAST(sqlc.arg(neutral_offset) AS REAL)) / x.neutral_length AS REAL) AS likeness
FROM passage_embeddings v
CROSS JOIN passages p ON p.id = v.rowid
CROSS JOIN passage_vectors x ON x.passage_id = p.id
WHERE v.embedding MATCH vec_int8(sqlc.arg(coarse)) AND v.k = sqlc.arg(k)
  AND v.rowid IN (
    SELECT i.id FROM entities e
    CROSS JOIN passages i ON i.entity_id = e.id
    WHERE (i.model = sqlc.arg(model) OR (CAST(sqlc.arg(model) AS INTEGER) = 0 AND i.model IS NOT NULL))
      AND e.id NOT IN (SELECT o.entity_id FROM text_outdated o)
      AND (CAST(sqlc.arg(types_json) AS TEXT) = 'null'
        OR e.entity_type IN (SELECT value FROM json_each(CAST(sqlc.arg(types_json) AS TEXT))))
      AND coalesce(datetime(e.updated_at), e.updated_at) BETWEEN CAST(sqlc.arg(since) AS TEXT) AND CAST(sqlc.arg(until) AS TEXT)
  );

-- Of equally like passages of an entity, SQLite takes the first it reads.
-- name: NearestOf :many
SELECT p.id AS passage_id, CAST(p.entity_id AS INTEGER) AS entity_id,
       CAST(vec_distance_cosine(x.embedding, CAST(sqlc.arg(exact) AS BLOB)) AS REAL) AS distance,
       CAST(max((1 - vec_distance_cosine(x.embedding, CAST(sqlc.arg(neutral) AS BLOB)) - CAST(sqlc.arg(neutral_offset) AS REAL)) / x.neutral_length) AS REAL) AS likeness
FROM passages p
JOIN passage_vectors x ON x.passage_id = p.id
WHERE p.entity_id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)))
  AND (p.model = sqlc.arg(model) OR (CAST(sqlc.arg(model) AS INTEGER) = 0 AND p.model IS NOT NULL))
  AND p.entity_id NOT IN (SELECT o.entity_id FROM text_outdated o)
GROUP BY p.entity_id;
