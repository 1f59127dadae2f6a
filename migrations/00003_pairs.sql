-- Older servers counted an entity as used together with itself, which says
-- nothing, and nothing kept the order of a pair. One row a pair, a < b.

-- +goose Up
INSERT INTO co_occurrences (entity_a_id, entity_b_id, co_count, last_co)
SELECT entity_b_id, entity_a_id, co_count, last_co
FROM co_occurrences
WHERE entity_a_id > entity_b_id
ON CONFLICT (entity_a_id, entity_b_id) DO UPDATE
SET co_count = min(min(max(CAST(co_count AS INTEGER), 0), 1000000000) + min(max(CAST(excluded.co_count AS INTEGER), 0), 1000000000), 1000000000), last_co = max(last_co, excluded.last_co);

DELETE FROM co_occurrences WHERE entity_a_id >= entity_b_id;

-- +goose Down
SELECT 1; -- what was removed is not missed
