-- name: InsertObservation :exec
INSERT INTO observations (entity_id, content, created_at)
VALUES (sqlc.arg(entity_id), sqlc.arg(content), datetime('now'));

-- name: CountObservations :one
SELECT count(*) FROM observations;

-- name: ObservationsOf :many
SELECT id, content FROM observations WHERE entity_id = sqlc.arg(entity_id) ORDER BY id;

-- name: ObservationsOfAll :many
SELECT entity_id, id, content FROM observations
WHERE entity_id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)))
ORDER BY entity_id, id;

-- name: DeleteObservations :exec
DELETE FROM observations
WHERE id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)));
