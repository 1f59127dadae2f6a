-- What search needs beside the documented tables. Rowids of the virtual tables
-- are entities.id; foreign keys do not reach virtual tables.

-- +goose Up
CREATE VIRTUAL TABLE IF NOT EXISTS entity_embeddings
    USING vec0(embedding float[384] distance_metric=cosine);

CREATE VIRTUAL TABLE IF NOT EXISTS entity_fts
    USING fts5(name, entity_type, obs_text, tokenize="unicode61");

-- The text of an entity as substring search compares it: folded name, type and
-- observations, with U+001F between them.
CREATE TABLE IF NOT EXISTS entity_text (
    entity_id INTEGER PRIMARY KEY REFERENCES entities(id) ON DELETE CASCADE,
    folded    TEXT    NOT NULL
);

-- To count the rows at every start without reading all texts.
CREATE INDEX IF NOT EXISTS idx_text_entity ON entity_text(entity_id);

-- What an entity's vector was made from. A vector without a row here, marked
-- stale or made by another model is out of date.
CREATE TABLE IF NOT EXISTS embedding_state (
    entity_id INTEGER PRIMARY KEY REFERENCES entities(id) ON DELETE CASCADE,
    model_id  TEXT    NOT NULL,
    text_hash TEXT    NOT NULL,
    stale     INTEGER NOT NULL DEFAULT 0
);

-- +goose Down
DROP TABLE embedding_state;
DROP TABLE entity_text;
DROP TABLE entity_fts;
DROP TABLE entity_embeddings;
