-- name: InsertRelation :execrows
INSERT INTO relations (from_entity, to_entity, relation_type, created_at)
VALUES (sqlc.arg(from_entity), sqlc.arg(to_entity), sqlc.arg(relation_type), datetime('now'))
ON CONFLICT (from_entity, to_entity, relation_type) DO NOTHING;

-- name: DeleteRelation :execrows
DELETE FROM relations
WHERE from_entity = sqlc.arg(from_entity)
  AND to_entity = sqlc.arg(to_entity)
  AND relation_type = sqlc.arg(relation_type);

-- name: CountRelations :one
SELECT count(*) FROM relations r
JOIN entities f ON f.id = r.from_entity
JOIN entities t ON t.id = r.to_entity;

-- name: RelationsTouching :many
SELECT r.id, r.from_entity, r.to_entity, f.name AS from_name, t.name AS to_name, r.relation_type
FROM relations r
JOIN entities f ON f.id = r.from_entity
JOIN entities t ON t.id = r.to_entity
WHERE r.from_entity IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)))
   OR r.to_entity IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)))
ORDER BY r.id;

-- name: RelationsUpTo :many
SELECT r.id, r.from_entity, r.to_entity, f.name AS from_name, t.name AS to_name, r.relation_type
FROM relations r
JOIN entities f ON f.id = r.from_entity
JOIN entities t ON t.id = r.to_entity
WHERE (r.from_entity >= r.to_entity AND r.from_entity IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT))))
   OR (r.from_entity < r.to_entity AND r.to_entity IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT))))
ORDER BY r.id;
