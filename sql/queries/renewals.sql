-- What is marked to be made anew. Marks of vectors go by triggers.

-- name: MarkTexts :exec
INSERT INTO renewals (part, id) SELECT 'text', e.id FROM entities e;

-- name: MarkPassages :exec
INSERT INTO renewals (part, id)
SELECT 'passage', p.id FROM passages p
JOIN embedding_models m ON m.id = p.model
WHERE p.entity_id IS NOT NULL AND m.model = sqlc.arg(model);

-- name: MarkEntities :exec
INSERT INTO renewals (part, id) SELECT 'entity', e.id FROM entities e;

-- name: Unmark :exec
DELETE FROM renewals WHERE part = sqlc.arg(part);

-- name: UnmarkTexts :exec
DELETE FROM renewals
WHERE part = 'text' AND id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)));

-- name: UnmarkGone :exec
DELETE FROM renewals
WHERE part IN ('text', 'entity') AND id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)))
  AND id NOT IN (SELECT id FROM entities);

-- name: CountRenewals :one
SELECT CAST((SELECT count(*) FROM renewals WHERE part = 'text') AS INTEGER) AS texts,
       CAST((SELECT count(*) FROM renewals WHERE part = 'passage') AS INTEGER) AS passages,
       CAST((SELECT count(*) FROM renewals WHERE part = 'entity') AS INTEGER) AS entities;

-- name: TextsToRenew :many
SELECT id FROM renewals WHERE part = 'text' ORDER BY id LIMIT sqlc.arg(size);

-- name: PassagesToRenew :many
SELECT p.id, CAST(p.entity_id AS INTEGER) AS entity_id, p.ordinal, p.text_hash
FROM renewals r
CROSS JOIN passages p ON p.id = r.id
WHERE r.part = 'passage' AND r.id > sqlc.arg(after)
  AND p.entity_id IS NOT NULL
  AND p.entity_id NOT IN (SELECT o.entity_id FROM text_outdated o)
ORDER BY r.id
LIMIT sqlc.arg(size);

-- name: EntitiesToRenew :many
SELECT r.id FROM renewals r
CROSS JOIN entities e ON e.id = r.id
WHERE r.part = 'entity' AND r.id > sqlc.arg(after)
ORDER BY r.id
LIMIT sqlc.arg(size);
