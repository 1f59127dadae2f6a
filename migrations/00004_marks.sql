-- Whoever changes the memory, with whatever program: the marks that its text
-- index row or its vector is out of date come from the database itself. The
-- index is still written by code, in the same transaction or at the next read.

-- +goose Up
CREATE TABLE text_outdated (
    entity_id INTEGER PRIMARY KEY -- of no entity when that was deleted
);

-- Nobody marked what changed without these triggers.
UPDATE embedding_state SET stale = 1;

-- +goose StatementBegin
CREATE TRIGGER mark_entity_insert AFTER INSERT ON entities BEGIN
    INSERT INTO text_outdated SELECT NEW.id WHERE NEW.id NOT IN (SELECT entity_id FROM text_outdated);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER mark_entity_update AFTER UPDATE OF name, entity_type ON entities
WHEN OLD.name <> NEW.name OR OLD.entity_type <> NEW.entity_type BEGIN
    INSERT INTO text_outdated SELECT NEW.id WHERE NEW.id NOT IN (SELECT entity_id FROM text_outdated);
    UPDATE embedding_state SET stale = 1 WHERE entity_id = NEW.id
        OR entity_id IN (SELECT to_entity FROM relations WHERE from_entity = NEW.id)
        OR entity_id IN (SELECT from_entity FROM relations WHERE to_entity = NEW.id);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER mark_entity_delete AFTER DELETE ON entities BEGIN
    INSERT INTO text_outdated SELECT OLD.id WHERE OLD.id NOT IN (SELECT entity_id FROM text_outdated);
    DELETE FROM embedding_state WHERE entity_id = OLD.id;
    -- Where foreign keys are off, its relations stay.
    UPDATE embedding_state SET stale = 1 WHERE entity_id IN (SELECT to_entity FROM relations WHERE from_entity = OLD.id)
        OR entity_id IN (SELECT from_entity FROM relations WHERE to_entity = OLD.id);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER mark_observation_insert AFTER INSERT ON observations BEGIN
    INSERT INTO text_outdated SELECT NEW.entity_id WHERE NEW.entity_id NOT IN (SELECT entity_id FROM text_outdated);
    UPDATE embedding_state SET stale = 1 WHERE entity_id = NEW.entity_id AND stale = 0;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER mark_observation_update AFTER UPDATE OF id, content, entity_id ON observations BEGIN
    INSERT INTO text_outdated SELECT OLD.entity_id WHERE OLD.entity_id NOT IN (SELECT entity_id FROM text_outdated);
    INSERT INTO text_outdated SELECT NEW.entity_id WHERE NEW.entity_id NOT IN (SELECT entity_id FROM text_outdated);
    UPDATE embedding_state SET stale = 1 WHERE entity_id IN (OLD.entity_id, NEW.entity_id) AND stale = 0;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER mark_observation_delete AFTER DELETE ON observations BEGIN
    INSERT INTO text_outdated SELECT OLD.entity_id WHERE OLD.entity_id NOT IN (SELECT entity_id FROM text_outdated);
    UPDATE embedding_state SET stale = 1 WHERE entity_id = OLD.entity_id AND stale = 0;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER mark_relation_insert AFTER INSERT ON relations BEGIN
    UPDATE embedding_state SET stale = 1 WHERE entity_id IN (NEW.from_entity, NEW.to_entity) AND stale = 0;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER mark_relation_update AFTER UPDATE OF from_entity, to_entity, relation_type ON relations BEGIN
    UPDATE embedding_state SET stale = 1
        WHERE entity_id IN (OLD.from_entity, OLD.to_entity, NEW.from_entity, NEW.to_entity) AND stale = 0;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER mark_relation_delete AFTER DELETE ON relations BEGIN
    UPDATE embedding_state SET stale = 1 WHERE entity_id IN (OLD.from_entity, OLD.to_entity) AND stale = 0;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER mark_relation_delete;
DROP TRIGGER mark_relation_update;
DROP TRIGGER mark_relation_insert;
DROP TRIGGER mark_observation_delete;
DROP TRIGGER mark_observation_update;
DROP TRIGGER mark_observation_insert;
DROP TRIGGER mark_entity_delete;
DROP TRIGGER mark_entity_update;
DROP TRIGGER mark_entity_insert;
DROP TABLE text_outdated;
