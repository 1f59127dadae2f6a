-- name: Metadata :one
SELECT CAST(coalesce((SELECT value FROM db_metadata WHERE key = sqlc.arg(key)), '') AS TEXT) AS value;

-- name: PutMetadata :exec
INSERT INTO db_metadata (key, value) VALUES (sqlc.arg(key), sqlc.arg(value))
ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value IS NOT excluded.value;
