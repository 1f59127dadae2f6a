package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// freed is a free row: that of the deleted entity's passage.
const freed = `(SELECT id FROM passages WHERE entity_id IS NULL)`

// silently changes an entity, observation or relation without the marks that
// triggers make.
func silently(change string) []string {
	return []string{
		change,
		"DELETE FROM text_outdated",
		"UPDATE embedding_state SET stale = 0",
	}
}

// damages are ways to damage the database that sound makes, each with what
// Verify says: the check, and the first example.
var damages = []struct {
	name    string
	damage  []string
	check   string
	example string
}{
	{"a row missing from an index", []string{
		"PRAGMA writable_schema = ON",
		"UPDATE sqlite_schema SET sql = 'CREATE INDEX idx_entities_type ON entities(name)' WHERE name = 'idx_entities_type'",
	}, sqlite.CheckIntegrity, "row 1 missing from index idx_entities_type"},

	{"a trigger missing", []string{"DROP TRIGGER mark_observation_insert"}, sqlite.CheckSchema, "trigger mark_observation_insert is missing"},
	{"a trigger changed", []string{
		"DROP TRIGGER mark_relation_delete",
		"CREATE TRIGGER mark_relation_delete AFTER DELETE ON relations BEGIN SELECT 1; END",
	}, sqlite.CheckSchema, "trigger mark_relation_delete is another"},
	{"an index missing", []string{"DROP INDEX idx_obs_entity"}, sqlite.CheckSchema, "index idx_obs_entity is missing"},
	{"a table missing", []string{"DROP TABLE entity_access"}, sqlite.CheckSchema, "table entity_access is missing"},

	{"no schema version", []string{"DELETE FROM db_metadata WHERE key = 'schema_version'"}, sqlite.CheckMetadata, "schema_version is missing"},
	{"an older schema version", []string{"UPDATE db_metadata SET value = '3' WHERE key = 'schema_version'"}, sqlite.CheckMetadata, "schema_version is 3"},
	{"no index format", []string{"DELETE FROM db_metadata WHERE key = 'index_format'"}, sqlite.CheckMetadata, "index_format is missing"},
	{"no model noted", []string{"DELETE FROM db_metadata WHERE key = 'embedding_model'"}, sqlite.CheckMetadata, "embedding_model is missing"},

	{"a model unknown", []string{"UPDATE passages SET model = 9 WHERE id = 1"}, sqlite.CheckForeignKeys, "passages row 1 refers to what is not in embedding_models"},

	{
		"an observation of no entity", silently("INSERT INTO observations (entity_id, content) VALUES (99, 'x')"),
		sqlite.CheckOrphanObservations, "observation 7 of entity 99",
	},
	{
		"a relation to no entity", silently("INSERT INTO relations (from_entity, to_entity, relation_type) VALUES (3, 99, 'x')"),
		sqlite.CheckOrphanRelations, "relation 5 from entity 3 to 99",
	},
	{"use of no entity", []string{"INSERT INTO entity_access (entity_id) VALUES (99)"}, sqlite.CheckOrphanAccess, "entity 99"},
	{"use together with no entity", []string{"INSERT INTO co_occurrences (entity_a_id, entity_b_id) VALUES (1, 99)"}, sqlite.CheckOrphanPairs, "entities 1 and 99"},
	{"a vector's state of no entity", []string{"INSERT INTO embedding_state VALUES (99, 'm', 'h', 0)"}, sqlite.CheckOrphanStates, "entity 99"},
	{"a text of no entity to be made anew", []string{"INSERT INTO renewals VALUES ('text', 99)"}, sqlite.CheckOrphanRenewals, "text 99"},
	{"a vector of no entity to be made anew", []string{"INSERT INTO renewals VALUES ('entity', 99), ('entity', 1)"}, sqlite.CheckOrphanRenewals, "entity 99"},
	{"a vector of no passage to be made anew", []string{"INSERT INTO renewals VALUES ('passage', 99), ('passage', 1)"}, sqlite.CheckOrphanRenewals, "passage 99"},
	{"a vector of a free passage to be made anew", []string{"INSERT INTO renewals SELECT 'passage', id FROM passages WHERE entity_id IS NULL"}, sqlite.CheckOrphanRenewals, "passage 12"},
	{"used together with itself", []string{"INSERT INTO co_occurrences (entity_a_id, entity_b_id) VALUES (2, 2)"}, sqlite.CheckPairs, "entities 2 and 2"},
	{"a pair in the wrong order", []string{"INSERT INTO co_occurrences (entity_a_id, entity_b_id) VALUES (4, 2)"}, sqlite.CheckPairs, "entities 4 and 2"},

	{"a relation twice", []string{
		"PRAGMA writable_schema = ON",
		"UPDATE sqlite_schema SET sql = replace(sql, 'UNIQUE (from_entity, to_entity, relation_type)', 'CHECK (1)') WHERE name = 'relations'",
		"DELETE FROM sqlite_schema WHERE name = 'sqlite_autoindex_relations_1'",
		"PRAGMA writable_schema = RESET",
		"VACUUM",
		"INSERT INTO relations (from_entity, to_entity, relation_type) SELECT from_entity, to_entity, relation_type FROM relations WHERE id = 1",
	}, sqlite.CheckSchema, "table relations lets in the same from_entity, to_entity, relation_type twice"},

	{"a count that became a REAL", []string{"UPDATE entity_access SET access_count = 9223372036854775807 + 1 WHERE entity_id = 1"}, sqlite.CheckValues, "access_count of entity 1 is 9.2233720368547758e+18"},
	{"a count below nothing", []string{"UPDATE entity_access SET access_count = -1 WHERE entity_id = 1"}, sqlite.CheckValues, "access_count of entity 1 is -1"},
	{"a count that is text", []string{"INSERT OR REPLACE INTO co_occurrences VALUES (1, 2, 'many', '2026-01-02 03:04:05')"}, sqlite.CheckValues, "co_count of entities 1 and 2 is 'many'"},
	{"a count beyond counting", []string{"INSERT OR REPLACE INTO co_occurrences VALUES (1, 2, 9223372036854775807, '')"}, sqlite.CheckValues, "co_count of entities 1 and 2 is 9223372036854775807"},
	{"a time that is a blob", []string{"UPDATE entities SET updated_at = CAST(updated_at AS BLOB) WHERE id = 1"}, sqlite.CheckValues, "updated_at of entity 1 is blob"},
	{"times that are blobs", []string{
		"UPDATE observations SET created_at = CAST(created_at AS BLOB)", "UPDATE relations SET created_at = CAST(created_at AS BLOB)",
		"UPDATE entity_access SET last_access = x'00'", "INSERT OR REPLACE INTO co_occurrences VALUES (1, 2, 1, x'00')",
	}, sqlite.CheckValues, "created_at of observation 1 is blob"},

	{
		"counts of ids at their end",
		[]string{"UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name IN ('entities', 'observations', 'relations')"},
		sqlite.CheckSequences, "that of entities is 9223372036854775807, and the largest of them 5",
	},
	{
		"a count of ids that became a REAL",
		[]string{"UPDATE sqlite_sequence SET seq = 9223372036854775807 + 1 WHERE name = 'relations'"},
		sqlite.CheckSequences, "that of relations is 9223372036854775807, and the largest of them 4",
	},
	{"a folded text missing", []string{"DELETE FROM entity_text WHERE entity_id = 2"}, sqlite.CheckText, "entity 2 is missing"},
	{"another folded text", []string{"UPDATE entity_text SET folded = replace(folded, 'violin', 'viola') WHERE entity_id = 1"}, sqlite.CheckText, "entity 1 has another"},
	{"a folded text of no entity", []string{"INSERT INTO entity_text VALUES (99, 'x')"}, sqlite.CheckText, "entity 99"},

	{"a documented text missing", []string{"DELETE FROM entity_fts WHERE rowid = 2"}, sqlite.CheckFTS, "entity 2 is missing"},
	{"another documented text", []string{"UPDATE entity_fts SET obs_text = 'x' WHERE rowid = 2"}, sqlite.CheckFTS, "entity 2 has another"},
	{"a documented text of no entity", []string{"INSERT INTO entity_fts (rowid, name) VALUES (99, 'x')"}, sqlite.CheckFTS, "entity 99"},
	{
		renames,
		[]string{"UPDATE entity_fts_content SET c0 = 'Anna' WHERE id = 1", "UPDATE entities SET name = 'Anna' WHERE id = 1"},
		sqlite.CheckFTS, `fts5: checksum mismatch for table "entity_fts"`,
	},

	{"trigrams missing", []string{"DELETE FROM entity_trigrams WHERE rowid = 2"}, sqlite.CheckTrigrams, "entity 2 is missing"},
	{
		"a trigram more",
		[]string{"INSERT OR REPLACE INTO entity_trigrams (rowid, folded) SELECT 3, folded || char(31) || 'qqq' FROM entity_text WHERE entity_id = 3"},
		sqlite.CheckTrigrams, "entity 3 has others",
	},
	{
		"a trigram less",
		[]string{"INSERT OR REPLACE INTO entity_trigrams (rowid, folded) SELECT 3, folded FROM entity_text WHERE entity_id = 3"},
		sqlite.CheckTrigrams, "entity 3 has others",
	},
	{"trigrams of no entity", []string{"INSERT INTO entity_trigrams (rowid, folded) VALUES (99, 'abcd')"}, sqlite.CheckTrigrams, "there is no entity 99"},

	{"words missing", []string{"DELETE FROM entity_terms WHERE rowid = 2"}, sqlite.CheckEntityTerms, "entity 2 is missing"},
	{"a word more", []string{"INSERT OR REPLACE INTO entity_terms (rowid, terms) VALUES (3, 'carlos note note')"}, sqlite.CheckEntityTerms, "entity 3 has others"},
	{"a word less", []string{"INSERT OR REPLACE INTO entity_terms (rowid, terms) VALUES (3, 'carlos')"}, sqlite.CheckEntityTerms, "entity 3 has others"},
	{"words in another order", []string{"INSERT OR REPLACE INTO entity_terms (rowid, terms) VALUES (3, 'note carlos')"}, sqlite.CheckEntityTerms, "entity 3 has others"},
	{"words of no entity", []string{"INSERT INTO entity_terms (rowid, terms) VALUES (99, 'x')"}, sqlite.CheckEntityTerms, "there is no entity 99"},
	{"another length", []string{"UPDATE entity_terms_docsize SET sz = x'05' WHERE id = 3"}, sqlite.CheckEntityTerms, "entity 3 has others"},

	{
		"a passage missing",
		[]string{
			"UPDATE passages SET entity_id = NULL, ordinal = 0, first_observation = NULL, last_observation = NULL, text_hash = '', model = NULL WHERE entity_id = 3",
			"DELETE FROM passage_terms WHERE rowid IN (SELECT id FROM passages WHERE model IS NULL)",
			"DELETE FROM passage_vectors WHERE passage_id IN (SELECT id FROM passages WHERE model IS NULL)",
			"DELETE FROM passage_embeddings WHERE rowid IN (SELECT id FROM passages WHERE model IS NULL)",
		},
		sqlite.CheckPassages, "the text of passage 0 of entity 3 is missing",
	},
	{
		"a passage more",
		[]string{"UPDATE passages SET entity_id = 3, ordinal = 1, text_hash = 'h' WHERE entity_id IS NULL"},
		sqlite.CheckPassages, "passage 12 is of a text that entity 3 does not have",
	},
	{"a passage of another text", []string{"UPDATE passages SET text_hash = '1:x' WHERE id = 1"}, sqlite.CheckPassages, "the text of passage 0 of entity 1 is missing"},
	{"a passage at another place", []string{"UPDATE passages SET ordinal = 7 WHERE id = 1"}, sqlite.CheckPassages, "passage 1 of entity 1 is at another place of it"},
	{"a passage of other observations", []string{"UPDATE passages SET last_observation = 1 WHERE id = 1"}, sqlite.CheckPassages, "passage 1 of entity 1 is at another place of it"},
	{"a passage of no entity", []string{"UPDATE passages SET entity_id = 99 WHERE entity_id IS NULL"}, sqlite.CheckPassages, "passage 12 of entity 99, which is gone"},
	{"a free row deleted", []string{"INSERT INTO passages (id, ordinal, text_hash) SELECT max(id) + 3, 0, '' FROM passages"}, sqlite.CheckPassages, "2 rows were deleted"},
	{"a free row with a model", []string{"UPDATE passages SET model = 1 WHERE entity_id IS NULL"}, sqlite.CheckPassages, "free row 12 claims a vector"},

	{"a place that is none", []string{"UPDATE passages SET ordinal = 'x' WHERE id = 1"}, sqlite.CheckPassages, "passage 1 has values of another type"},
	{"observations that are none", []string{"UPDATE passages SET first_observation = 'x', last_observation = 0.5 WHERE id = 1"}, sqlite.CheckPassages, "passage 1 has values of another type"},
	{"an entity that is none", []string{"UPDATE passages SET entity_id = 'x' WHERE id = 1"}, sqlite.CheckPassages, ""},

	{"words of a passage missing", []string{"DELETE FROM passage_terms WHERE rowid = 1"}, sqlite.CheckPassageTerms, "passage 1 is missing"},
	{"other words of a passage", []string{"INSERT OR REPLACE INTO passage_terms (rowid, terms) VALUES (1, 'x')"}, sqlite.CheckPassageTerms, "passage 1 has others"},
	{"words of a free row", []string{"INSERT INTO passage_terms (rowid, terms) SELECT " + freed + ", 'x'"}, sqlite.CheckPassageTerms, "there is no passage 12"},

	{"a vector missing", []string{"DELETE FROM passage_vectors WHERE passage_id = 1"}, sqlite.CheckVectors, "passage 1 has none"},
	{
		"a vector of no passage",
		[]string{"INSERT INTO passage_vectors SELECT " + freed + ", neutral_length, embedding FROM passage_vectors WHERE passage_id = 1"},
		sqlite.CheckVectors, "vector 12 is of no passage",
	},
	{"a vector that is none", []string{"UPDATE passage_vectors SET embedding = zeroblob(1536) WHERE passage_id = 1"}, sqlite.CheckVectors, "that of passage 1 is no direction"},
	{"a vector cut off", []string{"UPDATE passage_vectors SET embedding = substr(embedding, 1, 16) WHERE passage_id = 1"}, sqlite.CheckVectors, "that of passage 1 is no direction"},
	{"a length that is none", []string{"UPDATE passage_vectors SET neutral_length = 'x' WHERE passage_id = 1"}, sqlite.CheckVectors, "that of passage 1 has a length without its language that is no number"},
	{"another length of a vector", []string{"UPDATE passage_vectors SET neutral_length = 0.25 WHERE passage_id = 1"}, sqlite.CheckVectors, ""},

	{"a coarse vector missing", []string{"DELETE FROM passage_embeddings WHERE rowid = 1"}, sqlite.CheckCoarse, "passage 1 has none"},
	{
		"a coarse vector of no passage",
		[]string{"INSERT INTO passage_embeddings (rowid, shard, embedding) SELECT " + freed + ", 0, vec_int8(zeroblob(384))"},
		sqlite.CheckCoarse, "vector 12 is of no passage",
	},
	{"another coarse vector", []string{
		"DELETE FROM passage_embeddings WHERE rowid = 1",
		"INSERT INTO passage_embeddings (rowid, shard, embedding) SELECT 1, 0, vec_int8(zeroblob(384))",
	}, sqlite.CheckCoarse, "that of passage 1 is of another vector"},
	{"a coarse vector in another shard", []string{
		"CREATE TEMP TABLE kept AS SELECT embedding FROM passage_embeddings WHERE rowid = 1", "DELETE FROM passage_embeddings WHERE rowid = 1",
		"INSERT INTO passage_embeddings (rowid, shard, embedding) SELECT 1, 3, vec_int8(embedding) FROM kept",
	}, sqlite.CheckCoarse, "vector 1 is in shard 3"},
	{"a coarse vector out of sight", []string{"UPDATE passage_embeddings_chunks SET validity = zeroblob(length(validity))"}, sqlite.CheckCoarseChunks, "vector 1 is not found by searches"},
	{"a coarse vector too many", []string{"UPDATE passage_embeddings_chunks SET validity = CAST(x'ffff' || substr(validity, 3) AS BLOB)"}, sqlite.CheckCoarseChunks, ""},

	{"an entity's vector missing", []string{"DELETE FROM entity_embeddings WHERE rowid = 1"}, sqlite.CheckWhole, "entity 1 has none"},
	{
		"an entity's vector of no entity",
		[]string{"INSERT INTO entity_embeddings (rowid, embedding) SELECT 99, embedding FROM entity_embeddings WHERE rowid = 1"},
		sqlite.CheckWhole, "vector 99 is of no entity",
	},
	{"an entity's vector that is none", []string{"UPDATE entity_embeddings SET embedding = zeroblob(1536) WHERE rowid = 1"}, sqlite.CheckWhole, "that of entity 1 is no unit vector"},
	{
		"an entity's vector that is too long",
		[]string{"UPDATE entity_embeddings SET embedding = vec_add(embedding, embedding) WHERE rowid = 1"},
		sqlite.CheckWhole, "that of entity 1 is no unit vector",
	},
	{"an entity's vector out of sight", []string{"UPDATE entity_embeddings_chunks SET validity = zeroblob(length(validity))"}, sqlite.CheckWholeChunks, "vector 1 is not found by searches"},
	{"an entity's vector of another text", []string{"UPDATE embedding_state SET text_hash = 'x' WHERE entity_id = 1"}, sqlite.CheckStates, "the vector of entity 1 is of another text"},
}

// Names that look the same were stored by older servers.
func TestVerifyFindsNamesThatLookTheSame(t *testing.T) {
	path := sound(t)
	db := open(t, path)
	add(t, db, "Jose\u0301")
	add(t, db, "Jos\u00e9")
	add(t, db, " Carlos")
	add(t, db, "Zoe\u0301") // and no other
	want := []sqlite.Finding{{Check: sqlite.CheckNames, Count: 2, Examples: []string{`[" Carlos" "Carlos"]`, `["Jose\u0301" "Jos\u00e9"]`}}}
	equal(t, "findings", verify(t, path).Findings, want)
}

// Where no row has the largest id, counting goes on where no row ever was.
func TestRepairOfCountsOfIDs(t *testing.T) {
	path := sound(t)
	execute(t, path, "UPDATE sqlite_sequence SET seq = 9223372036854775806 WHERE name = 'entities'", "UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'observations'")
	if _, err := sqlite.Repair(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	db := open(t, path)
	id := add(t, db, "Nora", "skates")
	equal(t, "id of an entity", id, int64(5+1<<32+1))
	equal(t, "id of an observation", query(t, path, "SELECT max(id) FROM observations"), []string{fmt.Sprint(5 + 1<<32 + 1)})
	equal(t, "findings", verify(t, path).Findings, []sqlite.Finding(nil))
}

// Marks go with what they are of, whoever deletes it.
func TestMarksGoWithWhatTheyAreOf(t *testing.T) {
	path := sound(t)
	db := open(t, path)
	id := add(t, db, "Nora", "skates")
	execute(t, path, "PRAGMA foreign_keys = ON", "INSERT INTO renewals SELECT 'text', id FROM entities", "INSERT INTO renewals SELECT 'entity', id FROM entities",
		"INSERT INTO renewals SELECT 'passage', id FROM passages WHERE entity_id IS NOT NULL AND model IS NOT NULL",
		"DELETE FROM entities WHERE id = 5")
	equal(t, "findings before the index is in step", verify(t, path).Findings, []sqlite.Finding(nil))
	err := db.Update(t.Context(), func(w memory.Writer) error {
		return errors.Join(w.DeleteEntity(t.Context(), id), w.Reindex(t.Context(), []int64{5}))
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "findings", verify(t, path).Findings, []sqlite.Finding(nil))
	equal(t, "marks of what is gone", query(t, path, fmt.Sprintf("SELECT part FROM renewals WHERE part <> 'passage' AND id IN (5, %d)", id)), []string{})
}

// What an entity's index still lacks is nothing wrong, nor what it has too much.
func TestVerifyTakesMarksIntoAccount(t *testing.T) {
	path := sound(t)
	execute(t, path,
		"UPDATE observations SET content = 'plays the viola' WHERE id = 1",
		"DELETE FROM entities WHERE id = 2",
		"UPDATE entities SET name = 'Evita' WHERE id = 5",
		"INSERT INTO entities (name) VALUES ('Gala')",
		"DELETE FROM observations WHERE entity_id = 2",
		"DELETE FROM relations WHERE to_entity = 2",
		"DELETE FROM entity_access WHERE entity_id = 2",
		"DELETE FROM co_occurrences WHERE 2 IN (entity_a_id, entity_b_id)",
	)
	report := verify(t, path)
	if !report.OK() || report.Pending.Entities != 4 || report.Pending.Vectors != 3 {
		t.Errorf("report: %+v", report)
	}
	execute(t, path, "UPDATE db_metadata SET value = 'older' WHERE key = 'index_format'")
	if report := verify(t, path); !report.OK() || report.Pending.Entities != report.Entities {
		t.Errorf("report of another format: %+v", report)
	}
}

// With a server that has the database open, there are files beside it.
func TestVerifyBesideAServer(t *testing.T) {
	path := sound(t)
	db := open(t, path)
	id := add(t, db, "Hugo", "sails")
	if report := verify(t, path); !report.OK() || report.Entities != 6 {
		t.Errorf("report: %+v", report)
	}
	execute(t, path, fmt.Sprintf("DELETE FROM entity_text WHERE entity_id = %d", id))
	if report := verify(t, path); !report.Has(sqlite.CheckText) {
		t.Errorf("report of damage: %+v", report)
	}
}

// Pages written over give a finding or more, never an error.
func TestVerifyOfDamagedPages(t *testing.T) {
	original := readFile(t, sound(t))
	const pageSize = 4096
	for _, page := range []int{1, 2, 3, 5, 8, 13} {
		path := filepath.Join(t.TempDir(), "memory.db")
		damaged := []byte(original)
		copy(damaged[page*pageSize:], strings.Repeat("damage! ", pageSize/8))
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if report := verify(t, path); !report.Has(sqlite.CheckIntegrity) {
			t.Errorf("page %d: %v", page, report)
		}
	}
	path := filepath.Join(t.TempDir(), "memory.db")
	if err := os.WriteFile(path, []byte(original[:len(original)/2]), 0o600); err != nil {
		t.Fatal(err)
	}
	if report := verify(t, path); !report.Has(sqlite.CheckIntegrity) {
		t.Errorf("half a file: %v", report)
	}
}

func TestVerifyRefuses(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "text")
	if err := os.WriteFile(text, make([]byte, 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(folder, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Verify(t.Context(), filepath.Join(folder, "missing")); !errors.Is(err, sqlite.ErrNoDatabase) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := sqlite.Verify(t.Context(), empty); !errors.Is(err, sqlite.ErrNoDatabase) {
		t.Errorf("an empty file: %v", err)
	}
	if _, err := sqlite.Verify(t.Context(), unpack(t, "v3")); !errors.Is(err, sqlite.ErrOlderSchema) {
		t.Errorf("an older database: %v", err)
	}
	for _, path := range []string{folder, text} {
		if _, ok := errors.AsType[*sqlite.OpenError](func() error { _, err := sqlite.Verify(t.Context(), path); return err }()); !ok {
			t.Errorf("%s was taken for a database", path)
		}
	}
}
