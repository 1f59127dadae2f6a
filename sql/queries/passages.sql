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

-- Not one with a vector, which is of another text.
-- name: ReplacePassage :execrows
UPDATE passages
SET entity_id = sqlc.arg(entity_id), ordinal = sqlc.arg(ordinal), first_observation = sqlc.arg(first_observation),
    last_observation = sqlc.arg(last_observation), text_hash = sqlc.arg(text_hash)
WHERE id = sqlc.arg(id) AND model IS NULL;

-- name: MovePassage :exec
UPDATE passages
SET ordinal = sqlc.arg(ordinal), first_observation = sqlc.arg(first_observation), last_observation = sqlc.arg(last_observation)
WHERE id = sqlc.arg(id);

-- name: FreePassage :exec
UPDATE passages
SET entity_id = NULL, ordinal = 0, first_observation = NULL, last_observation = NULL, text_hash = ''
WHERE id = sqlc.arg(id);

-- Apart from the others: a statement that sets off triggers has FTS5 write out what it
-- holds back, so that what is indexed between two of them is an index of its own.
-- name: UnsetPassageModel :exec
UPDATE passages SET model = NULL WHERE id = sqlc.arg(id);

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

-- The nearest by the coarse index, of some of its shards.
-- name: CoarseNearest :many
SELECT v.rowid AS passage_id, CAST(v.distance AS REAL) AS distance
FROM passage_embeddings v
WHERE v.embedding MATCH vec_int8(sqlc.arg(coarse)) AND v.k = sqlc.arg(k)
  AND v.shard >= sqlc.arg(first_shard) AND v.shard <= sqlc.arg(last_shard);

-- The shard of the passages made last.
-- name: LastShard :one
SELECT CAST(coalesce(max(id) - 1, 0) / 1024 AS INTEGER) AS shard FROM passages;

-- Of some passages, those that count.
-- name: MeasurePassages :many
SELECT p.id AS passage_id, CAST(p.entity_id AS INTEGER) AS entity_id,
       CAST(vec_distance_cosine(x.embedding, CAST(sqlc.arg(exact) AS BLOB)) AS REAL) AS distance,
       CAST((1 - vec_distance_cosine(x.embedding, CAST(sqlc.arg(neutral) AS BLOB)) - CAST(sqlc.arg(neutral_offset) AS REAL)) / x.neutral_length AS REAL) AS likeness
FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)) j
CROSS JOIN passages p ON p.id = j.value
CROSS JOIN passage_vectors x ON x.passage_id = p.id
WHERE p.entity_id IS NOT NULL
  AND (p.model = sqlc.arg(model) OR (CAST(sqlc.arg(model) AS INTEGER) = 0 AND p.model IS NOT NULL))
  AND p.entity_id NOT IN (SELECT o.entity_id FROM text_outdated o);

-- How many entities pass a filter, up to a number.
-- name: CountPassing :one
SELECT count(*) FROM (
    SELECT 1 FROM entities e
    WHERE TRUE
      AND (CAST(sqlc.arg(types_json) AS TEXT) = 'null'
        OR e.entity_type IN (SELECT value FROM json_each(CAST(sqlc.arg(types_json) AS TEXT))))
      AND (CAST(sqlc.arg(since) AS TEXT) = '' AND CAST(sqlc.arg(until) AS TEXT) = '~'
        OR coalesce(datetime(e.updated_at), e.updated_at) BETWEEN CAST(sqlc.arg(since) AS TEXT) AND CAST(sqlc.arg(until) AS TEXT))
    LIMIT sqlc.arg(most)
);

-- The nearest of those alone that count and pass a filter: by the coarse index,
-- of which it reads all, or by their vectors themselves.
-- name: CoarseNearestAmong :many
SELECT v.rowid AS passage_id
FROM passage_embeddings v
WHERE v.embedding MATCH vec_int8(sqlc.arg(coarse)) AND v.k = sqlc.arg(k)
  AND v.rowid IN (
    SELECT p.id FROM entities e
    CROSS JOIN passages p ON p.entity_id = e.id
    WHERE (p.model = sqlc.arg(model) OR (CAST(sqlc.arg(model) AS INTEGER) = 0 AND p.model IS NOT NULL))
      AND e.id NOT IN (SELECT o.entity_id FROM text_outdated o)
      AND (CAST(sqlc.arg(types_json) AS TEXT) = 'null'
        OR e.entity_type IN (SELECT value FROM json_each(CAST(sqlc.arg(types_json) AS TEXT))))
      AND (CAST(sqlc.arg(since) AS TEXT) = '' AND CAST(sqlc.arg(until) AS TEXT) = '~'
        OR coalesce(datetime(e.updated_at), e.updated_at) BETWEEN CAST(sqlc.arg(since) AS TEXT) AND CAST(sqlc.arg(until) AS TEXT))
  );

-- name: NearestByVectorsAmong :many
SELECT n.passage_id FROM (
    SELECT p.id AS passage_id,
           CAST((1 - vec_distance_cosine(x.embedding, CAST(sqlc.arg(neutral) AS BLOB)) - CAST(sqlc.arg(neutral_offset) AS REAL)) / x.neutral_length AS REAL) AS likeness
    FROM entities e
    CROSS JOIN passages p ON p.entity_id = e.id
    CROSS JOIN passage_vectors x ON x.passage_id = p.id
    WHERE (p.model = sqlc.arg(model) OR (CAST(sqlc.arg(model) AS INTEGER) = 0 AND p.model IS NOT NULL))
      AND e.id NOT IN (SELECT o.entity_id FROM text_outdated o)
      AND (CAST(sqlc.arg(types_json) AS TEXT) = 'null'
        OR e.entity_type IN (SELECT value FROM json_each(CAST(sqlc.arg(types_json) AS TEXT))))
      AND (CAST(sqlc.arg(since) AS TEXT) = '' AND CAST(sqlc.arg(until) AS TEXT) = '~'
        OR coalesce(datetime(e.updated_at), e.updated_at) BETWEEN CAST(sqlc.arg(since) AS TEXT) AND CAST(sqlc.arg(until) AS TEXT))
) n
ORDER BY n.likeness DESC, n.passage_id
LIMIT sqlc.arg(k);

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
