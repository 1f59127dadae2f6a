-- What is to be made anew although nothing is wrong with it, and stays in use
-- until it is. The database itself notes what was, whoever did it.

-- +goose Up
CREATE TABLE renewals (
    part TEXT    NOT NULL, -- 'text' of an entity, or vector of a 'passage' or of an 'entity'
    id   INTEGER NOT NULL, -- of an entity or a passage
    PRIMARY KEY (part, id)
);

-- +goose StatementBegin
CREATE TRIGGER renewed_passage AFTER UPDATE OF model ON passages BEGIN
    DELETE FROM renewals WHERE part = 'passage' AND id = NEW.id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER renewed_entity AFTER UPDATE OF text_hash ON embedding_state BEGIN
    DELETE FROM renewals WHERE part = 'entity' AND id = NEW.entity_id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER made_entity AFTER INSERT ON embedding_state BEGIN
    DELETE FROM renewals WHERE part = 'entity' AND id = NEW.entity_id;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER made_entity;
DROP TRIGGER renewed_entity;
DROP TRIGGER renewed_passage;
DROP TABLE renewals;
