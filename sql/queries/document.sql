-- A memory as a whole, to be written to a document and read from one. Times are
-- passed on as they are stored; NULL stands for now. What is restored comes as JSON lists of rows, each a list of
-- its values: one statement for many takes a third of the time.

-- name: WholeEntities :many
SELECT e.id, e.name, e.entity_type, e.created_at, e.updated_at,
       CAST(a.entity_id IS NOT NULL AS INTEGER) AS accessed,
       CAST(coalesce(min(max(CAST(a.access_count AS INTEGER), 0), 1000000000), 0) AS INTEGER) AS access_count, a.last_access
FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)) j
JOIN entities e ON e.id = j.value
LEFT JOIN entity_access a ON a.entity_id = e.id
ORDER BY j.key;

-- name: WholeObservations :many
SELECT entity_id, content, created_at FROM observations
WHERE entity_id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)))
ORDER BY entity_id, id;

-- name: WholeRelations :many
SELECT r.id, f.name AS from_name, t.name AS to_name, r.relation_type, r.created_at
FROM relations r
JOIN entities f ON f.id = r.from_entity
JOIN entities t ON t.id = r.to_entity
WHERE r.id > sqlc.arg(after)
ORDER BY r.id
LIMIT sqlc.arg(size);

-- name: WholeCoOccurrences :many
SELECT a.name AS a_name, b.name AS b_name, CAST(min(max(CAST(c.co_count AS INTEGER), 0), 1000000000) AS INTEGER) AS co_count, c.last_co
FROM co_occurrences c
JOIN entities a ON a.id = c.entity_a_id
JOIN entities b ON b.id = c.entity_b_id
WHERE c.entity_a_id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)))
  AND c.entity_a_id < c.entity_b_id
ORDER BY c.entity_a_id, c.entity_b_id;

-- name: WholePassageVectors :many
SELECT e.name, m.model, p.text_hash, x.embedding
FROM passages p
JOIN entities e ON e.id = p.entity_id
JOIN embedding_models m ON m.id = p.model
JOIN passage_vectors x ON x.passage_id = p.id
WHERE p.entity_id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)))
  AND p.entity_id NOT IN (SELECT o.entity_id FROM text_outdated o)
ORDER BY p.entity_id, p.ordinal;

-- name: WholeEntityVectors :many
SELECT e.name, s.model_id, s.text_hash, v.embedding
FROM embedding_state s
JOIN entities e ON e.id = s.entity_id
JOIN entity_embeddings v ON v.rowid = s.entity_id
WHERE s.entity_id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)))
  AND s.stale = 0
  AND s.entity_id NOT IN (SELECT o.entity_id FROM text_outdated o)
ORDER BY s.entity_id;

-- name: PassagesWithout :many
SELECT id, text_hash FROM passages
WHERE entity_id = sqlc.arg(entity_id) AND model IS NULL
ORDER BY ordinal;

-- Rows of name, type, time of creation, time of update.
-- name: RestoreEntities :exec
INSERT INTO entities (name, entity_type, created_at, updated_at)
SELECT json_extract(j.value, '$[0]'), json_extract(j.value, '$[1]'),
       coalesce(json_extract(j.value, '$[2]'), datetime('now')), coalesce(json_extract(j.value, '$[3]'), datetime('now'))
FROM json_each(CAST(sqlc.arg(rows_json) AS TEXT)) j
ORDER BY j.key;

-- Rows of entity id, content, time of creation.
-- name: RestoreObservations :exec
INSERT INTO observations (entity_id, content, created_at)
SELECT json_extract(j.value, '$[0]'), json_extract(j.value, '$[1]'), coalesce(json_extract(j.value, '$[2]'), datetime('now'))
FROM json_each(CAST(sqlc.arg(rows_json) AS TEXT)) j
ORDER BY j.key;

-- Rows of the ids of both ends, type, time of creation. (Without WHERE, ON would belong to the SELECT.)
-- name: RestoreRelations :many
INSERT INTO relations (from_entity, to_entity, relation_type, created_at)
SELECT json_extract(j.value, '$[0]'), json_extract(j.value, '$[1]'), json_extract(j.value, '$[2]'),
       coalesce(json_extract(j.value, '$[3]'), datetime('now'))
FROM json_each(CAST(sqlc.arg(rows_json) AS TEXT)) j
WHERE true
ORDER BY j.key
ON CONFLICT (from_entity, to_entity, relation_type) DO NOTHING
RETURNING from_entity, to_entity;

-- An empty time is unknown, and not the earliest one.
-- name: MergeTimes :exec
UPDATE entities
SET created_at = min(created_at, coalesce(nullif(CAST(sqlc.narg(created_at) AS TEXT), ''), created_at)),
    updated_at = max(updated_at, coalesce(CAST(sqlc.narg(updated_at) AS TEXT), ''))
WHERE id = sqlc.arg(id);

-- Rows of entity id, number of accesses, time of the last one.
-- name: MergeAccesses :exec
INSERT INTO entity_access (entity_id, access_count, last_access)
SELECT json_extract(j.value, '$[0]'), json_extract(j.value, '$[1]'), coalesce(json_extract(j.value, '$[2]'), datetime('now'))
FROM json_each(CAST(sqlc.arg(rows_json) AS TEXT)) j
WHERE true
ORDER BY j.key
ON CONFLICT (entity_id) DO UPDATE
SET access_count = max(min(max(CAST(access_count AS INTEGER), 0), 1000000000), excluded.access_count), last_access = max(last_access, excluded.last_access);

-- Rows of both ids, the smaller one first, number of times, and the last one.
-- name: MergeTogether :exec
INSERT INTO co_occurrences (entity_a_id, entity_b_id, co_count, last_co)
SELECT json_extract(j.value, '$[0]'), json_extract(j.value, '$[1]'), json_extract(j.value, '$[2]'),
       coalesce(json_extract(j.value, '$[3]'), datetime('now'))
FROM json_each(CAST(sqlc.arg(rows_json) AS TEXT)) j
WHERE true
ORDER BY j.key
ON CONFLICT (entity_a_id, entity_b_id) DO UPDATE
SET co_count = max(min(max(CAST(co_count AS INTEGER), 0), 1000000000), excluded.co_count), last_co = max(last_co, excluded.last_co);
