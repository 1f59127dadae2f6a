-- name: EnsureUsage :exec
INSERT INTO entity_access (entity_id, access_count, last_access) VALUES (sqlc.arg(entity_id), 1, datetime('now'))
ON CONFLICT (entity_id) DO NOTHING;

-- Counts stay between 0 and 1000000000, whatever another program stored: beyond
-- the largest integer, SQLite would go on with a REAL.
-- name: RecordAccess :exec
INSERT INTO entity_access (entity_id, access_count, last_access)
SELECT e.id, 1, datetime('now') FROM entities e
WHERE e.id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)))
ON CONFLICT (entity_id) DO UPDATE
SET access_count = min(max(CAST(access_count AS INTEGER), 0), 999999999) + 1, last_access = datetime('now');

-- name: RecordTogether :exec
INSERT INTO co_occurrences (entity_a_id, entity_b_id, co_count, last_co)
SELECT a.id, b.id, 1, datetime('now') FROM entities a JOIN entities b ON a.id < b.id
WHERE a.id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)))
  AND b.id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)))
ON CONFLICT (entity_a_id, entity_b_id) DO UPDATE
SET co_count = min(max(CAST(co_count AS INTEGER), 0), 999999999) + 1, last_co = datetime('now');

-- name: Usages :many
SELECT e.id, e.created_at, CAST(coalesce(min(max(CAST(a.access_count AS INTEGER), 0), 1000000000), 0) AS INTEGER) AS access_count, a.last_access,
       CAST((SELECT count(*) FROM relations r WHERE r.from_entity = e.id)
          + (SELECT count(*) FROM relations r WHERE r.to_entity = e.id) AS INTEGER) AS degree
FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)) j
JOIN entities e ON e.id = j.value
LEFT JOIN entity_access a ON a.entity_id = e.id
ORDER BY j.key;

-- The + keeps SQLite from looking up every pair of ids in an index.
-- name: CoOccurrences :many
SELECT entity_a_id, entity_b_id, CAST(min(max(CAST(co_count AS INTEGER), 0), 1000000000) AS INTEGER) AS co_count FROM co_occurrences
WHERE entity_a_id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)))
  AND +entity_b_id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)))
  AND entity_a_id < entity_b_id
ORDER BY entity_a_id, entity_b_id;
