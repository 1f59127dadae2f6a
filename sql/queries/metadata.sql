-- name: Metadata :many
SELECT value FROM db_metadata WHERE key = sqlc.arg(key);

-- name: PutMetadata :exec
INSERT INTO db_metadata (key, value) VALUES (sqlc.arg(key), sqlc.arg(value))
ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value <> excluded.value;
