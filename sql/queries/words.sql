-- The words of entities and passages. The searches leave out whatever the index
-- may be wrong about. bm25_words() is that of internal/sqlite/wordrank.

-- What does not count is left out of the best, of which the caller asks for some
-- to spare: to look at every match would take longer than to score it.

-- name: MatchEntities :many
SELECT b.entity_id, b.score
FROM (
    SELECT rowid AS entity_id, CAST(bm25_words(entity_terms, CAST(sqlc.arg(weights) AS BLOB)) AS REAL) AS score
    FROM entity_terms
    WHERE entity_terms MATCH sqlc.arg(expression)
    ORDER BY score DESC, rowid
    LIMIT sqlc.arg(size)
) b
WHERE b.entity_id NOT IN (SELECT o.entity_id FROM text_outdated o);

-- name: MatchEntitiesAmong :many
SELECT e.id AS entity_id, CAST(bm25_words(entity_terms, CAST(sqlc.arg(weights) AS BLOB)) AS REAL) AS score
FROM entity_terms
CROSS JOIN entities e ON e.id = entity_terms.rowid
WHERE entity_terms MATCH sqlc.arg(expression)
  AND e.id NOT IN (SELECT o.entity_id FROM text_outdated o)
  AND (CAST(sqlc.arg(types_json) AS TEXT) = 'null'
    OR e.entity_type IN (SELECT value FROM json_each(CAST(sqlc.arg(types_json) AS TEXT))))
  AND (CAST(sqlc.arg(since) AS TEXT) = '' AND CAST(sqlc.arg(until) AS TEXT) = '~'
    OR coalesce(datetime(e.updated_at), e.updated_at) BETWEEN CAST(sqlc.arg(since) AS TEXT) AND CAST(sqlc.arg(until) AS TEXT))
ORDER BY score DESC, e.id
LIMIT sqlc.arg(size);

-- name: MatchPassages :many
SELECT p.id, CAST(p.entity_id AS INTEGER) AS entity_id, b.score
FROM (
    SELECT rowid AS passage_id, CAST(bm25_words(passage_terms, CAST(sqlc.arg(weights) AS BLOB)) AS REAL) AS score
    FROM passage_terms
    WHERE passage_terms MATCH sqlc.arg(expression)
    ORDER BY score DESC, rowid
    LIMIT sqlc.arg(size)
) b
CROSS JOIN passages p ON p.id = b.passage_id
WHERE p.entity_id IS NOT NULL
  AND p.entity_id NOT IN (SELECT o.entity_id FROM text_outdated o);

-- name: MatchPassagesAmong :many
SELECT p.id, e.id AS entity_id, CAST(bm25_words(passage_terms, CAST(sqlc.arg(weights) AS BLOB)) AS REAL) AS score
FROM passage_terms
CROSS JOIN passages p ON p.id = passage_terms.rowid
CROSS JOIN entities e ON e.id = p.entity_id
WHERE passage_terms MATCH sqlc.arg(expression)
  AND e.id NOT IN (SELECT o.entity_id FROM text_outdated o)
  AND (CAST(sqlc.arg(types_json) AS TEXT) = 'null'
    OR e.entity_type IN (SELECT value FROM json_each(CAST(sqlc.arg(types_json) AS TEXT))))
  AND (CAST(sqlc.arg(since) AS TEXT) = '' AND CAST(sqlc.arg(until) AS TEXT) = '~'
    OR coalesce(datetime(e.updated_at), e.updated_at) BETWEEN CAST(sqlc.arg(since) AS TEXT) AND CAST(sqlc.arg(until) AS TEXT))
ORDER BY score DESC, p.id
LIMIT sqlc.arg(size);

-- name: CountTerms :many
SELECT v.term, v.doc FROM json_each(CAST(sqlc.arg(terms_json) AS TEXT)) j
CROSS JOIN entity_vocabulary v ON v.term = j.value;
