-- Lists come as JSON arrays: one parameter of any length, in any place. Times of now are
-- written out: the tables may be of another program, and have no defaults.

-- name: InsertEntity :execlastid
INSERT INTO entities (name, entity_type, created_at, updated_at)
VALUES (sqlc.arg(name), sqlc.arg(entity_type), datetime('now'), datetime('now'));

-- name: SetEntityType :execrows
UPDATE entities SET entity_type = sqlc.arg(entity_type)
WHERE id = sqlc.arg(id) AND entity_type <> sqlc.arg(entity_type);

-- name: TouchEntity :exec
UPDATE entities SET updated_at = datetime('now') WHERE id = sqlc.arg(id);

-- The rest of an entity goes by cascade, except for the virtual tables.
-- name: DeleteEntity :exec
DELETE FROM entities WHERE id = sqlc.arg(id);

-- name: EntityIDs :many
SELECT id, name FROM entities
WHERE name IN (SELECT value FROM json_each(CAST(sqlc.arg(names_json) AS TEXT)));

-- name: Entities :many
SELECT e.id, e.name, e.entity_type, e.created_at, e.updated_at
FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)) j
JOIN entities e ON e.id = j.value
ORDER BY j.key;

-- name: EntityPage :many
SELECT id FROM entities ORDER BY id LIMIT sqlc.arg(size) OFFSET sqlc.arg(skip);

-- name: EntityIDsAfter :many
SELECT id FROM entities WHERE id > sqlc.arg(after) ORDER BY id LIMIT sqlc.arg(size);

-- name: EntityIDsBefore :many
SELECT id FROM entities WHERE id < sqlc.arg(before) ORDER BY id DESC LIMIT sqlc.arg(size);

-- Those used, changed or made last, the latest first. Each of the lists is read from
-- the end of an index; deleted observations and relations alone move nobody up.
-- name: RecentEntities :many
WITH recent(id) AS (
    SELECT a.entity_id FROM (SELECT entity_id FROM entity_access ORDER BY last_access DESC, entity_id DESC LIMIT sqlc.arg(size)) a
    UNION SELECT o.entity_id FROM (SELECT entity_id FROM observations ORDER BY id DESC LIMIT 4 * sqlc.arg(size)) o
    UNION SELECT n.id FROM (SELECT id FROM entities ORDER BY id DESC LIMIT sqlc.arg(size)) n
)
SELECT e.id FROM recent
JOIN entities e ON e.id = recent.id
LEFT JOIN entity_access a ON a.entity_id = e.id
ORDER BY max(e.updated_at, coalesce(a.last_access, '')) DESC, e.id DESC
LIMIT sqlc.arg(size);

-- Differs when entities, observations or relations do. Of changes that keep the
-- number and the last of all it sees those of types, and of others the second in
-- which they were made.
-- name: GraphState :one
SELECT CAST((SELECT count(*) || ' ' || coalesce(max(id), 0) || ' ' || coalesce(max(updated_at), '') FROM entities)
    || ' ' || (SELECT count(*) || ' ' || coalesce(max(id), 0) FROM observations)
    || ' ' || (SELECT count(*) || ' ' || coalesce(max(id), 0) FROM relations)
    || ' ' || coalesce((SELECT group_concat(t.entity_type || ' ' || t.n, ' ')
        FROM (SELECT entity_type, count(*) AS n FROM entities GROUP BY entity_type ORDER BY entity_type) t), '') AS TEXT) AS state;

-- name: CountEntities :one
SELECT count(*) FROM entities;

-- From type to type in their index; DISTINCT would read all of it.
-- name: EntityTypes :many
WITH RECURSIVE types(entity_type) AS (
    SELECT min(e.entity_type) FROM entities e
    UNION ALL
    SELECT (SELECT min(e.entity_type) FROM entities e WHERE e.entity_type > types.entity_type)
    FROM types WHERE types.entity_type IS NOT NULL
)
SELECT CAST(types.entity_type AS TEXT) AS entity_type FROM types WHERE types.entity_type IS NOT NULL;
