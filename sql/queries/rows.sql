-- What a change takes away, row by row, to put it back as it was.

-- name: ObservationRows :many
SELECT id, content, created_at FROM observations WHERE entity_id = sqlc.arg(entity_id) ORDER BY id;

-- name: RelationRows :many
SELECT r.id, r.from_entity, r.to_entity, f.name AS from_name, t.name AS to_name, r.relation_type, r.created_at
FROM relations r
JOIN entities f ON f.id = r.from_entity
JOIN entities t ON t.id = r.to_entity
WHERE r.from_entity = sqlc.arg(entity_id) OR r.to_entity = sqlc.arg(entity_id)
ORDER BY r.id;

-- name: TogetherRows :many
SELECT c.entity_a_id, c.entity_b_id, a.name AS a_name, b.name AS b_name,
       CAST(min(max(CAST(c.co_count AS INTEGER), 0), 1000000000) AS INTEGER) AS co_count, c.last_co
FROM co_occurrences c
JOIN entities a ON a.id = c.entity_a_id
JOIN entities b ON b.id = c.entity_b_id
WHERE (c.entity_a_id = sqlc.arg(entity_id) OR c.entity_b_id = sqlc.arg(entity_id))
  AND c.entity_a_id <> c.entity_b_id
ORDER BY co_count DESC, c.entity_a_id, c.entity_b_id;

-- name: PutEntity :exec
INSERT INTO entities (id, name, entity_type, created_at, updated_at)
VALUES (sqlc.arg(id), sqlc.arg(name), sqlc.arg(entity_type), sqlc.arg(created_at), sqlc.arg(updated_at));

-- Whoever has stored the same since keeps it.
-- name: PutObservation :execrows
INSERT INTO observations (id, entity_id, content, created_at)
VALUES (sqlc.arg(id), sqlc.arg(entity_id), sqlc.arg(content), sqlc.arg(created_at))
ON CONFLICT DO NOTHING;

-- name: PutRelation :execrows
INSERT INTO relations (id, from_entity, to_entity, relation_type, created_at)
VALUES (sqlc.arg(id), sqlc.arg(from_entity), sqlc.arg(to_entity), sqlc.arg(relation_type), sqlc.arg(created_at))
ON CONFLICT DO NOTHING;

-- name: SetUpdated :exec
UPDATE entities SET updated_at = sqlc.arg(updated_at) WHERE id = sqlc.arg(id);

-- name: MostUsedIDs :many
SELECT e.id FROM entities e LEFT JOIN entity_access a ON a.entity_id = e.id
ORDER BY coalesce(CAST(a.access_count AS INTEGER), 0) DESC, e.updated_at DESC, e.id
LIMIT sqlc.arg(size);
