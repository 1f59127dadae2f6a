-- What the memory holds, in numbers.

-- name: CountAll :one
SELECT CAST((SELECT count(*) FROM entities) AS INTEGER) AS entities,
       CAST((SELECT count(*) FROM observations) AS INTEGER) AS observations,
       CAST((SELECT count(*) FROM relations) AS INTEGER) AS relations,
       CAST((SELECT count(*) FROM text_outdated) AS INTEGER) AS outdated,
       CAST(coalesce((SELECT min(datetime(created_at)) FROM entities), '') AS TEXT) AS oldest,
       CAST(coalesce((SELECT max(datetime(created_at)) FROM entities), '') AS TEXT) AS newest,
       CAST(coalesce((SELECT max(datetime(updated_at)) FROM entities), '') AS TEXT) AS changed;

-- name: CountByType :many
SELECT entity_type AS name, count(*) AS n FROM entities GROUP BY entity_type ORDER BY n DESC, name;

-- name: CountByRelationType :many
SELECT relation_type AS name, count(*) AS n FROM relations GROUP BY relation_type ORDER BY n DESC, name;

-- What stands there as no time, another program has written.
-- name: CountByMonth :many
SELECT CAST(coalesce(strftime('%Y-%m', created_at), '') AS TEXT) AS name, count(*) AS n FROM entities GROUP BY 1 ORDER BY 1;

-- No model stands for no vector.
-- name: CountByModel :many
SELECT CAST(coalesce((SELECT m.model FROM embedding_models m WHERE m.id = p.model), '') AS TEXT) AS name, count(*) AS n
FROM passages p
WHERE p.entity_id IS NOT NULL
GROUP BY p.model
ORDER BY n DESC, 1;

-- name: MostUsed :many
SELECT e.name, CAST(min(max(CAST(a.access_count AS INTEGER), 0), 1000000000) AS INTEGER) AS n, CAST(a.last_access AS TEXT) AS last_access
FROM entity_access a
JOIN entities e ON e.id = a.entity_id
ORDER BY n DESC, a.last_access DESC, e.id
LIMIT sqlc.arg(size);
