-- The index of the whole texts of entities: entity_fts for other programs,
-- entity_text and entity_trigrams for substrings, entity_terms for words.

-- name: PutText :exec
INSERT OR REPLACE INTO entity_fts (rowid, name, entity_type, obs_text)
VALUES (sqlc.arg(entity_id), sqlc.arg(name), sqlc.arg(entity_type), sqlc.arg(obs_text));

-- name: PutFolded :exec
INSERT INTO entity_text (entity_id, folded)
VALUES (sqlc.arg(entity_id), sqlc.arg(folded))
ON CONFLICT (entity_id) DO UPDATE SET folded = excluded.folded;

-- name: PutTrigrams :exec
INSERT OR REPLACE INTO entity_trigrams (rowid, folded) VALUES (sqlc.arg(entity_id), sqlc.arg(folded));

-- name: PutEntityTerms :exec
INSERT OR REPLACE INTO entity_terms (rowid, terms) VALUES (sqlc.arg(entity_id), sqlc.arg(terms));

-- name: DeleteText :exec
DELETE FROM entity_fts WHERE rowid = sqlc.arg(entity_id);

-- name: DeleteFolded :exec
DELETE FROM entity_text WHERE entity_id = sqlc.arg(entity_id);

-- name: DeleteTrigrams :exec
DELETE FROM entity_trigrams WHERE rowid = sqlc.arg(entity_id);

-- name: DeleteEntityTerms :exec
DELETE FROM entity_terms WHERE rowid = sqlc.arg(entity_id);

-- name: DeleteAllEntityTerms :exec
INSERT INTO entity_terms (entity_terms) VALUES ('delete-all');

-- name: Outdated :many
SELECT entity_id FROM text_outdated ORDER BY entity_id LIMIT sqlc.arg(size);

-- name: UpToDate :exec
DELETE FROM text_outdated WHERE entity_id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)));

-- name: AllOutdated :exec
INSERT INTO text_outdated SELECT id FROM entities WHERE id NOT IN (SELECT entity_id FROM text_outdated);

-- What the index holds of entities of which it lacks nothing.
-- name: Texts :many
SELECT t.entity_id, t.folded, f.name, f.entity_type, f.obs_text
FROM entity_text t
JOIN entity_fts f ON f.rowid = t.entity_id
WHERE t.entity_id IN (SELECT value FROM json_each(CAST(sqlc.arg(ids_json) AS TEXT)))
  AND EXISTS (SELECT 1 FROM entity_trigrams g WHERE g.rowid = t.entity_id)
  AND EXISTS (SELECT 1 FROM entity_terms w WHERE w.rowid = t.entity_id);

-- Those that are known to be out of step are left to the next search.
-- name: EntitiesWithoutIndex :many
SELECT e.id FROM entities e
WHERE (NOT EXISTS (SELECT 1 FROM entity_text t WHERE t.entity_id = e.id)
    OR NOT EXISTS (SELECT 1 FROM entity_fts f WHERE f.rowid = e.id)
    OR NOT EXISTS (SELECT 1 FROM entity_trigrams g WHERE g.rowid = e.id)
    OR NOT EXISTS (SELECT 1 FROM entity_terms w WHERE w.rowid = e.id)
    OR NOT EXISTS (SELECT 1 FROM passages p WHERE p.entity_id = e.id)
    OR EXISTS (SELECT 1 FROM passages p WHERE p.entity_id = e.id
        AND NOT EXISTS (SELECT 1 FROM passage_terms w WHERE w.rowid = p.id)))
  AND e.id NOT IN (SELECT o.entity_id FROM text_outdated o)
ORDER BY e.id;

-- name: IndexWithoutEntity :many
SELECT f.rowid AS entity_id FROM entity_fts f
WHERE NOT EXISTS (SELECT 1 FROM entities e WHERE e.id = f.rowid)
UNION
SELECT t.entity_id FROM entity_text t
WHERE NOT EXISTS (SELECT 1 FROM entities e WHERE e.id = t.entity_id)
UNION
SELECT g.rowid FROM entity_trigrams g
WHERE NOT EXISTS (SELECT 1 FROM entities e WHERE e.id = g.rowid)
UNION
SELECT w.rowid FROM entity_terms w
WHERE NOT EXISTS (SELECT 1 FROM entities e WHERE e.id = w.rowid)
UNION
SELECT CAST(p.entity_id AS INTEGER) FROM passages p
WHERE p.entity_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM entities e WHERE e.id = p.entity_id);

-- The searches leave out whatever the index may be wrong about. They answer with
-- all ids: counting them is as dear. place is 0 where the fragment is the name, 1
-- where it is a part of the name, and 2 where only another text contains it.

-- name: Containing :many
SELECT entity_id, CAST(CASE
    WHEN instr(folded, CAST(sqlc.arg(fragment) AS TEXT)) >= instr(folded, char(31)) THEN 2
    ELSE instr(folded, char(31)) <> length(CAST(sqlc.arg(fragment) AS TEXT)) + 1 END AS INTEGER) AS place
FROM entity_text
WHERE instr(folded, CAST(sqlc.arg(fragment) AS TEXT)) > 0
  AND entity_id NOT IN (SELECT o.entity_id FROM text_outdated o)
ORDER BY entity_id;

-- Of the texts that hold some trigrams, those that contain the fragment.
-- name: ContainingTrigrams :many
SELECT t.entity_id, CAST(CASE
    WHEN instr(t.folded, CAST(sqlc.arg(fragment) AS TEXT)) >= instr(t.folded, char(31)) THEN 2
    ELSE instr(t.folded, char(31)) <> length(CAST(sqlc.arg(fragment) AS TEXT)) + 1 END AS INTEGER) AS place
FROM entity_trigrams
CROSS JOIN entity_text t ON t.entity_id = entity_trigrams.rowid
WHERE entity_trigrams MATCH sqlc.arg(expression)
  AND instr(t.folded, CAST(sqlc.arg(fragment) AS TEXT)) > 0
  AND t.entity_id NOT IN (SELECT o.entity_id FROM text_outdated o)
ORDER BY entity_trigrams.rowid;

-- Texts with a trigram in a range, which begins with the fragment.
-- name: ContainingTrigramsBetween :many
SELECT t.entity_id, CAST(CASE
    WHEN instr(t.folded, CAST(sqlc.arg(least) AS TEXT)) >= instr(t.folded, char(31)) THEN 2
    ELSE instr(t.folded, char(31)) <> length(CAST(sqlc.arg(least) AS TEXT)) + 1 END AS INTEGER) AS place
FROM (
    SELECT DISTINCT v.doc FROM trigram_vocabulary v
    WHERE v.term >= CAST(sqlc.arg(least) AS TEXT) AND v.term < CAST(sqlc.arg(beyond) AS TEXT)
) found
CROSS JOIN entity_text t ON t.entity_id = found.doc
WHERE t.entity_id NOT IN (SELECT o.entity_id FROM text_outdated o)
ORDER BY found.doc;

-- How many entries the trigrams in a range have, up to a number.
-- name: CountTrigramsBetween :one
SELECT count(*) FROM (
    SELECT 1 FROM trigram_vocabulary v
    WHERE v.term >= CAST(sqlc.arg(least) AS TEXT) AND v.term < CAST(sqlc.arg(beyond) AS TEXT)
    LIMIT sqlc.arg(most)
);

-- name: EntitiesNamed :many
SELECT entity_id FROM entity_text
WHERE substr(folded, 1, instr(folded, char(31)) - 1) = sqlc.arg(folded_name)
  AND entity_id NOT IN (SELECT o.entity_id FROM text_outdated o)
ORDER BY entity_id
LIMIT 100;

-- Names that begin with a fragment first, and by name; the index of names has all
-- that is read.
-- name: EntitiesWithName :many
SELECT n.entity_id FROM (
    SELECT entity_id, substr(folded, 1, instr(folded, char(31)) - 1) AS name,
        instr(substr(folded, 1, instr(folded, char(31)) - 1), CAST(sqlc.arg(fragment) AS TEXT)) AS place
    FROM entity_text
) n
WHERE n.place > 0 AND n.entity_id NOT IN (SELECT o.entity_id FROM text_outdated o)
ORDER BY n.place > 1, n.name, n.entity_id
LIMIT sqlc.arg(size);

-- name: CountEntitiesWithName :one
SELECT count(*) FROM entity_text
WHERE instr(substr(folded, 1, instr(folded, char(31)) - 1), CAST(sqlc.arg(fragment) AS TEXT)) > 0
  AND entity_id NOT IN (SELECT o.entity_id FROM text_outdated o);
