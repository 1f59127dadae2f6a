-- What search works with: the passages of entities and their vectors, the words
-- of both, and trigrams for substrings. Code writes all of it; rowids of the
-- virtual tables are entities.id or passages.id.

-- +goose Up
CREATE TABLE embedding_models (
    id    INTEGER PRIMARY KEY,
    model TEXT NOT NULL UNIQUE
);

-- Rows are never deleted but become free slots, so that ids stay low and the
-- room of vectors is used again. So there are as many rows as the largest id.
CREATE TABLE passages (
    id                INTEGER PRIMARY KEY,
    entity_id         INTEGER, -- NULL: a free slot
    ordinal           INTEGER NOT NULL, -- place among the passages of the entity, from 0
    first_observation INTEGER, -- observations.id of what it holds; NULL: relations
    last_observation  INTEGER,
    text_hash         TEXT    NOT NULL,
    model             INTEGER REFERENCES embedding_models(id) -- NULL: no vector
);
CREATE INDEX idx_passages_entity ON passages(entity_id, ordinal);
CREATE INDEX idx_passages_model ON passages(model, id, entity_id) WHERE entity_id IS NOT NULL;

-- Vectors as the model makes them.
CREATE TABLE passage_vectors (
    passage_id     INTEGER PRIMARY KEY,
    neutral_length REAL NOT NULL, -- of what is left without the language
    embedding      BLOB NOT NULL  -- 384 times float32, little endian
);

-- What is left of them without the language, as unit vectors in a coarse form
-- that is fast to search: the nearest by L2 are the nearest by cosine. vec0 cannot update an int8, and puts
-- what is inserted into the last chunk of its partition, whatever room the
-- others have: so each chunk is a partition, that of certain ids.
CREATE VIRTUAL TABLE passage_embeddings
    USING vec0(shard INTEGER PARTITION KEY, embedding int8[384] distance_metric=l2, chunk_size=1024);

-- Terms come ready from the code, with blanks between them: this tokenizer
-- keeps everything else together that is not ASCII punctuation.
CREATE VIRTUAL TABLE entity_terms
    USING fts5(terms, content='', contentless_delete=1, tokenize='ascii');
CREATE VIRTUAL TABLE entity_vocabulary USING fts5vocab(entity_terms, row);

CREATE VIRTUAL TABLE passage_terms
    USING fts5(terms, content='', contentless_delete=1, tokenize='ascii');

-- Which entity_text.folded holds which trigrams; without their places, which
-- would take more room than the texts.
CREATE VIRTUAL TABLE entity_trigrams
    USING fts5(folded, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1');
CREATE VIRTUAL TABLE trigram_vocabulary USING fts5vocab(entity_trigrams, instance);

-- Folded names: what stands in front of the first U+001F.
CREATE INDEX idx_text_name ON entity_text(substr(folded, 1, instr(folded, char(31)) - 1));

-- Passages hold relations, and so the names of neighbours.

-- +goose StatementBegin
CREATE TRIGGER outdate_entity_rename AFTER UPDATE OF name ON entities WHEN OLD.name <> NEW.name BEGIN
    INSERT INTO text_outdated SELECT e.id FROM entities e
        WHERE (e.id IN (SELECT to_entity FROM relations WHERE from_entity = NEW.id)
            OR e.id IN (SELECT from_entity FROM relations WHERE to_entity = NEW.id))
        AND e.id NOT IN (SELECT entity_id FROM text_outdated);
END;
-- +goose StatementEnd

-- Where foreign keys are off, the relations of a deleted entity stay.
-- +goose StatementBegin
CREATE TRIGGER outdate_entity_delete AFTER DELETE ON entities BEGIN
    INSERT INTO text_outdated SELECT e.id FROM entities e
        WHERE (e.id IN (SELECT to_entity FROM relations WHERE from_entity = OLD.id)
            OR e.id IN (SELECT from_entity FROM relations WHERE to_entity = OLD.id))
        AND e.id NOT IN (SELECT entity_id FROM text_outdated);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER outdate_relation_insert AFTER INSERT ON relations BEGIN
    INSERT INTO text_outdated SELECT e.id FROM entities e
        WHERE e.id IN (NEW.from_entity, NEW.to_entity) AND e.id NOT IN (SELECT entity_id FROM text_outdated);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER outdate_relation_update AFTER UPDATE OF from_entity, to_entity, relation_type ON relations BEGIN
    INSERT INTO text_outdated SELECT e.id FROM entities e
        WHERE e.id IN (OLD.from_entity, OLD.to_entity, NEW.from_entity, NEW.to_entity)
        AND e.id NOT IN (SELECT entity_id FROM text_outdated);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER outdate_relation_delete AFTER DELETE ON relations BEGIN
    INSERT INTO text_outdated SELECT e.id FROM entities e
        WHERE e.id IN (OLD.from_entity, OLD.to_entity) AND e.id NOT IN (SELECT entity_id FROM text_outdated);
END;
-- +goose StatementEnd

-- What it said stands under another key now.
DELETE FROM db_metadata WHERE key = 'text_folding';

-- +goose Down
DROP TRIGGER outdate_relation_delete;
DROP TRIGGER outdate_relation_update;
DROP TRIGGER outdate_relation_insert;
DROP TRIGGER outdate_entity_delete;
DROP TRIGGER outdate_entity_rename;
DROP INDEX idx_text_name;
DROP TABLE trigram_vocabulary;
DROP TABLE entity_trigrams;
DROP TABLE passage_terms;
DROP TABLE entity_vocabulary;
DROP TABLE entity_terms;
DROP TABLE passage_embeddings;
DROP TABLE passage_vectors;
DROP TABLE passages;
DROP TABLE embedding_models;
DELETE FROM db_metadata WHERE key = 'index_format';
