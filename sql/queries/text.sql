-- name: PutText :exec
INSERT OR REPLACE INTO entity_fts (rowid, name, entity_type, obs_text)
VALUES (sqlc.arg(entity_id), sqlc.arg(name), sqlc.arg(entity_type), sqlc.arg(obs_text));

-- name: PutFolded :exec
INSERT INTO entity_text (entity_id, folded)
VALUES (sqlc.arg(entity_id), sqlc.arg(folded))
ON CONFLICT (entity_id) DO UPDATE SET folded = excluded.folded;

-- name: DeleteText :exec
DELETE FROM entity_fts WHERE rowid = sqlc.arg(entity_id);

-- name: DeleteFolded :exec
DELETE FROM entity_text WHERE entity_id = sqlc.arg(entity_id);

-- name: TextsOutdated :many
SELECT entity_id FROM text_outdated ORDER BY entity_id LIMIT sqlc.arg(size);

-- name: TextsUpToDate :exec
DELETE FROM text_outdated WHERE entity_id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)));

-- name: AllTextsOutdated :exec
INSERT INTO text_outdated SELECT id FROM entities WHERE id NOT IN (SELECT entity_id FROM text_outdated);

-- name: Texts :many
SELECT t.entity_id, t.folded, f.name, f.entity_type, f.obs_text
FROM entity_text t
JOIN entity_fts f ON f.rowid = t.entity_id
WHERE t.entity_id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)));

-- name: EntitiesWithoutText :many
SELECT e.id FROM entities e
WHERE NOT EXISTS (SELECT 1 FROM entity_text t WHERE t.entity_id = e.id)
   OR NOT EXISTS (SELECT 1 FROM entity_fts f WHERE f.rowid = e.id)
ORDER BY e.id;

-- name: TextsWithoutEntity :many
SELECT f.rowid AS entity_id FROM entity_fts f
WHERE NOT EXISTS (SELECT 1 FROM entities e WHERE e.id = f.rowid)
UNION
SELECT t.entity_id FROM entity_text t
WHERE NOT EXISTS (SELECT 1 FROM entities e WHERE e.id = t.entity_id);

-- The searches leave out whatever the index may be wrong about.

-- name: Containing :many
SELECT entity_id, CAST(count(*) OVER () AS INTEGER) AS total
FROM entity_text
WHERE instr(folded, CAST(sqlc.arg(fragment) AS TEXT)) > 0
  AND entity_id NOT IN (SELECT o.entity_id FROM text_outdated o)
ORDER BY entity_id
LIMIT sqlc.arg(size) OFFSET sqlc.arg(skip);

-- name: CountContaining :one
SELECT count(*) FROM entity_text
WHERE instr(folded, CAST(sqlc.arg(fragment) AS TEXT)) > 0
  AND entity_id NOT IN (SELECT o.entity_id FROM text_outdated o);

-- name: ContainingAny :many
WITH fragments AS (
    SELECT DISTINCT CAST(value AS TEXT) AS fragment
    FROM json_each(CAST(sqlc.arg(fragments_json) AS TEXT))
)
SELECT t.entity_id, count(*) AS fragments
FROM entity_text t CROSS JOIN fragments f
WHERE instr(t.folded, f.fragment) > 0
  AND t.entity_id NOT IN (SELECT o.entity_id FROM text_outdated o)
GROUP BY t.entity_id
ORDER BY count(*) DESC, t.entity_id
LIMIT sqlc.arg(size);

-- name: MatchText :many
SELECT rowid AS entity_id, CAST(-bm25(entity_fts) AS REAL) AS score
FROM entity_fts
WHERE entity_fts MATCH sqlc.arg(expression)
  AND rowid NOT IN (SELECT o.entity_id FROM text_outdated o)
ORDER BY score DESC, rowid
LIMIT sqlc.arg(size);

-- name: CountTerms :many
SELECT CAST(j.key AS INTEGER) AS position,
       CAST((SELECT count(*) FROM entity_fts WHERE entity_fts MATCH j.value) AS INTEGER) AS holding
FROM json_each(CAST(sqlc.arg(expressions_json) AS TEXT)) j;
