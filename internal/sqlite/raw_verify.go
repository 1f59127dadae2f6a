package sqlite

import "fmt"

// The SQL of Verify. It is not in sql/queries, as every connection prepares what
// is there, and only a doctor needs this; and because sqlc knows neither
// temporary tables nor those in which the virtual ones keep their rows.
const (
	integrityCheck   = `SELECT integrity_check FROM pragma_integrity_check`
	integrityCheckOf = `SELECT integrity_check FROM pragma_integrity_check(?)`
	ordinaryTables   = `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`

	// References to entities have checks of their own, which tell more.
	foreignKeyCheck = `SELECT c."table" || ' row ' || coalesce(c.rowid, '?') || ' refers to what is not in ' || c.parent
		FROM pragma_foreign_key_check c WHERE c.parent <> 'entities'`

	// What the schema is made of, in the order in which it was made. The tables of
	// virtual ones come with them.
	schemaStatements = `SELECT o.type || ' ' || o.name, o.sql FROM sqlite_schema o
		WHERE o.sql IS NOT NULL AND o.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND NOT EXISTS (SELECT 1 FROM sqlite_schema v
			WHERE v.sql LIKE 'CREATE VIRTUAL%' AND o.type = 'table' AND instr(o.name, v.name || '_') = 1)
		ORDER BY o.rowid`

	// The tables in which virtual ones keep their rows.
	storageStatements = `SELECT o.type || ' ' || o.name, o.sql FROM sqlite_schema o
		WHERE o.type = 'table' AND EXISTS (SELECT 1 FROM sqlite_schema v
			WHERE v.sql LIKE 'CREATE VIRTUAL%' AND instr(o.name, v.name || '_') = 1)
		ORDER BY o.rowid`
	countVirtual      = `SELECT count(*) FROM sqlite_schema WHERE name = ? AND sql LIKE 'CREATE VIRTUAL%'`
	countFTSVersions  = `SELECT count(*) FROM %s_config WHERE k = 'version' AND v NOT IN (4, 5)`
	correctFTSVersion = `INSERT OR REPLACE INTO %s_config VALUES ('version', 4)`

	// What acts when a table is written. Indexes that constraints made have no text.
	allActors = `SELECT type, name, tbl_name FROM sqlite_schema
		WHERE type = 'trigger' OR (type = 'index' AND sql LIKE 'CREATE UNIQUE%') ORDER BY type, name`

	allNames    = `SELECT id, name FROM entities`
	allOutdated = `SELECT entity_id FROM text_outdated`
	textsOfPage = `SELECT j.value, t.folded, f.name, f.entity_type, f.obs_text FROM json_each(?) j
		LEFT JOIN entity_text t ON t.entity_id = j.value LEFT JOIN entity_fts f ON f.rowid = j.value`
	statesOfPage = `SELECT s.entity_id, s.model_id, s.text_hash FROM embedding_state s
		WHERE s.stale = 0 AND s.entity_id IN (SELECT value FROM json_each(?))`

	// Those whose entity is gone; a mark says that they will go, too.
	textsOfNone = `SELECT 'entity ' || t.entity_id FROM entity_text t
		WHERE t.entity_id NOT IN (SELECT id FROM entities) AND t.entity_id NOT IN (SELECT entity_id FROM text_outdated)`
	ftsOfNone = `SELECT 'entity ' || f.rowid FROM entity_fts f
		WHERE f.rowid NOT IN (SELECT id FROM entities) AND f.rowid NOT IN (SELECT entity_id FROM text_outdated)`
	passagesOfNone = `SELECT 'passage ' || p.id || ' of entity ' || p.entity_id || ', which is gone' FROM passages p
		WHERE p.entity_id IS NOT NULL AND p.entity_id NOT IN (SELECT id FROM entities) AND p.entity_id NOT IN (SELECT entity_id FROM text_outdated)`
	freeWithModel = `SELECT 'free row ' || id || ' claims a vector' FROM passages WHERE entity_id IS NULL AND model IS NOT NULL`
	passageGaps   = `SELECT (max(id) - count(*)) || ' rows were deleted' FROM passages HAVING max(id) <> count(*)`

	// What a change that is not indexed yet explains.
	passagesToSkip = `SELECT p.id FROM passages p WHERE p.entity_id IN (SELECT entity_id FROM text_outdated)
		OR (p.entity_id IS NOT NULL AND p.entity_id NOT IN (SELECT id FROM entities))`

	vectorsMissing = `SELECT 'passage ' || p.id || ' has none' FROM passages p
		WHERE p.entity_id IS NOT NULL AND p.model IS NOT NULL AND NOT EXISTS (SELECT 1 FROM passage_vectors x WHERE x.passage_id = p.id)`
	vectorsOfNone = `SELECT 'vector ' || x.passage_id || ' is of no passage' FROM passage_vectors x
		WHERE NOT EXISTS (SELECT 1 FROM passages p WHERE p.id = x.passage_id AND p.entity_id IS NOT NULL AND p.model IS NOT NULL)`
	coarseMissing = `SELECT 'passage ' || p.id || ' has none' FROM passages p
		WHERE p.entity_id IS NOT NULL AND p.model IS NOT NULL AND NOT EXISTS (SELECT 1 FROM passage_embeddings v WHERE v.rowid = p.id)`
	coarseOfNone = `SELECT 'vector ' || v.rowid || ' is of no passage' FROM passage_embeddings v
		WHERE NOT EXISTS (SELECT 1 FROM passages p WHERE p.id = v.rowid AND p.entity_id IS NOT NULL AND p.model IS NOT NULL)`
	coarseShards = `SELECT 'vector ' || v.rowid || ' is in shard ' || v.shard FROM passage_embeddings v WHERE v.shard <> (v.rowid - 1) / 1024`
	allVectors   = `SELECT x.passage_id, CASE WHEN typeof(x.neutral_length) IN ('real', 'integer') THEN x.neutral_length END, x.embedding, m.model, v.embedding FROM passage_vectors x
		JOIN passages p ON p.id = x.passage_id AND p.entity_id IS NOT NULL
		JOIN embedding_models m ON m.id = p.model
		LEFT JOIN passage_embeddings v ON v.rowid = x.passage_id`
	wholeMissing = `SELECT 'entity ' || s.entity_id || ' has none' FROM embedding_state s
		WHERE s.stale = 0 AND s.entity_id IN (SELECT id FROM entities)
		AND NOT EXISTS (SELECT 1 FROM entity_embeddings v WHERE v.rowid = s.entity_id)`
	// Those that count as up to date, each with the passage of an entity that has just
	// one.
	wholeOfPage = `SELECT s.entity_id, s.model_id, v.embedding, coalesce(p.text_hash, ''), coalesce(m.model, ''), x.embedding
		FROM embedding_state s
		CROSS JOIN entity_embeddings v ON v.rowid = s.entity_id
		LEFT JOIN passages p ON p.entity_id = s.entity_id
			AND NOT EXISTS (SELECT 1 FROM passages o WHERE o.entity_id = s.entity_id AND o.id <> p.id)
		LEFT JOIN embedding_models m ON m.id = p.model
		LEFT JOIN passage_vectors x ON x.passage_id = p.id
		WHERE s.stale = 0 AND s.entity_id IN (SELECT value FROM json_each(?))`
	wholeOfNone = `SELECT 'vector ' || v.rowid || ' is of no entity' FROM entity_embeddings v
		WHERE v.rowid NOT IN (SELECT id FROM entities) AND v.rowid NOT IN (SELECT entity_id FROM text_outdated)`

	orphanObservations = `SELECT 'observation ' || o.id || ' of entity ' || quote(o.entity_id) FROM observations o
		WHERE o.entity_id IS NULL OR o.entity_id NOT IN (SELECT id FROM entities)`
	orphanRelations = `SELECT 'relation ' || r.id || ' from entity ' || quote(r.from_entity) || ' to ' || quote(r.to_entity) FROM relations r
		WHERE r.from_entity IS NULL OR r.to_entity IS NULL OR r.from_entity NOT IN (SELECT id FROM entities) OR r.to_entity NOT IN (SELECT id FROM entities)`
	orphanAccess = `SELECT 'entity ' || quote(a.entity_id) FROM entity_access a WHERE a.entity_id IS NULL OR a.entity_id NOT IN (SELECT id FROM entities)`
	orphanPairs  = `SELECT 'entities ' || quote(c.entity_a_id) || ' and ' || quote(c.entity_b_id) FROM co_occurrences c
		WHERE c.entity_a_id IS NULL OR c.entity_b_id IS NULL OR c.entity_a_id NOT IN (SELECT id FROM entities) OR c.entity_b_id NOT IN (SELECT id FROM entities)`
	orphanStates = `SELECT 'entity ' || s.entity_id FROM embedding_state s WHERE s.entity_id NOT IN (SELECT id FROM entities)`
	// An entity whose index is out of step takes its marks along when that is mended.
	orphanRenewals = `SELECT part || ' ' || id FROM renewals WHERE ` + ofNothing + ` ORDER BY part, id`
	wrongPairs     = `SELECT 'entities ' || entity_a_id || ' and ' || entity_b_id FROM co_occurrences WHERE entity_a_id >= entity_b_id`

	// Behind the largest id, SQLite takes no new row, and says that the disk is full.
	idsExhausted = `SELECT 'those of ' || name || ' have come to ' || max(seq, top) || ', and 9223372036854775807 is the largest' FROM (` + sequences + `)
		WHERE ` + usedUp + ` ORDER BY name`
	farSequences = `SELECT 'that of ' || name || ' is ' || seq || ', and the largest of them ' || top FROM (` + sequences + `)
		WHERE seq >= ` + halfOfIDs + ` AND top < ` + halfOfIDs + `
		ORDER BY name`
	// Nothing else can be said of a passage with one of these, nor of others.
	oddPassages = `SELECT 'passage ' || id || ' has values of another type' FROM passages WHERE ` + oddPassage

	// What a server would note, and has something to note about.
	missingMetadata = `SELECT k.key || ' is missing' FROM
		(SELECT 'schema_version' AS key UNION ALL SELECT 'last_migration' UNION ALL SELECT '` + indexFormatKey + `'
			UNION ALL SELECT '` + modelKey + `' FROM embedding_models) k
		WHERE k.key NOT IN (SELECT key FROM db_metadata WHERE key IS NOT NULL AND value IS NOT NULL) GROUP BY k.key`
	wrongVersion = `SELECT 'schema_version is ' || CAST(value AS TEXT) FROM db_metadata WHERE key = 'schema_version' AND CAST(value AS TEXT) <> CAST(? AS TEXT)`

	countPending = `SELECT (SELECT count(*) FROM text_outdated),
		(SELECT count(*) FROM passages p WHERE p.entity_id IS NOT NULL AND p.model IS NULL),
		(SELECT count(*) FROM entities e WHERE NOT EXISTS (SELECT 1 FROM embedding_state s WHERE s.entity_id = e.id AND s.stale = 0))`
)

// oddPassage is a condition: the row holds what its columns are not for.
const oddPassage = `typeof(ordinal) <> 'integer' OR typeof(text_hash) <> 'text' OR typeof(entity_id) NOT IN ('integer', 'null')
	OR typeof(first_observation) NOT IN ('integer', 'null') OR typeof(last_observation) NOT IN ('integer', 'null')`

// An index of terms and what it should hold: a temporary one of the same kind,
// for a page at a time.
type termIndex struct{ table, column, options string }

var (
	entityTermIndex  = termIndex{"entity_terms", "terms", "tokenize='ascii'"}
	passageTermIndex = termIndex{"passage_terms", "terms", "tokenize='ascii'"}
	trigramIndex     = termIndex{"entity_trigrams", "folded", "detail=none, tokenize='trigram case_sensitive 1'"}
)

// create makes the temporary tables.
func (x termIndex) create() []string {
	return []string{
		fmt.Sprintf(`CREATE VIRTUAL TABLE temp.found_%s USING fts5vocab(main, %[1]s, instance)`, x.table),
		fmt.Sprintf(`CREATE VIRTUAL TABLE temp.expected_%s USING fts5(%s, content='', contentless_delete=1, %s)`, x.table, x.column, x.options),
		fmt.Sprintf(`CREATE VIRTUAL TABLE temp.wanted_%s USING fts5vocab(temp, expected_%[1]s, instance)`, x.table),
	}
}

func (x termIndex) expect() string {
	return fmt.Sprintf(`INSERT INTO temp.expected_%s (rowid, %s) VALUES (?, ?)`, x.table, x.column)
}

func (x termIndex) forget() string {
	return fmt.Sprintf(`INSERT INTO temp.expected_%s (expected_%[1]s) VALUES ('delete-all')`, x.table)
}

// places lists the places of each term as "document:offset", with commas
// between; sizes lists how long documents are. prefix tells what the index holds
// from what it should.
func (x termIndex) places(prefix string) string {
	return fmt.Sprintf(`SELECT term, group_concat(doc || ':' || coalesce(offset, 0)) FROM temp.%s_%s GROUP BY term`, prefix, x.table)
}

func (x termIndex) sizes(wanted bool) string {
	if wanted {
		return fmt.Sprintf(`SELECT id, sz FROM temp.expected_%s_docsize`, x.table)
	}
	return fmt.Sprintf(`SELECT id, sz FROM main.%s_docsize`, x.table)
}

// chunks and slots are how vec0 keeps which vectors are where. A chunk has room for
// a number of vectors, of a length in bytes.
func chunksOf(table string) string {
	return fmt.Sprintf(`SELECT c.chunk_id, c.size, c.validity, c.rowids, coalesce(length(v.vectors), 0)
		FROM main.%s_chunks c LEFT JOIN main.%[1]s_vector_chunks00 v ON v.rowid = c.chunk_id`, table)
}

func slotsOf(table string) string {
	return fmt.Sprintf(`SELECT rowid, chunk_id, chunk_offset FROM main.%s_rowids`, table)
}

// Parts of statements of both.
const (
	// sequences are the tables that never use an id again, each with the last id that
	// SQLite has noted, and the largest that is there.
	sequences = `SELECT t.name, coalesce((SELECT max(CAST(seq AS INTEGER)) FROM sqlite_sequence s WHERE s.name = t.name), 0) AS seq, CASE t.name
			WHEN 'entities' THEN coalesce((SELECT max(id) FROM entities), 0)
			WHEN 'observations' THEN coalesce((SELECT max(id) FROM observations), 0)
			ELSE coalesce((SELECT max(id) FROM relations), 0) END AS top
		FROM sqlite_schema t WHERE t.type = 'table' AND t.name IN ('entities', 'observations', 'relations') AND t.sql LIKE '%AUTOINCREMENT%'`
	// usedUp is a condition on them: fewer ids are left than anybody should count on.
	usedUp    = `max(seq, top) > 9223372036854775807 - 4294967296 AND top >= ` + halfOfIDs
	halfOfIDs = `4611686018427387904`

	ofNothing = `(part = 'passage' AND id NOT IN (SELECT id FROM passages WHERE entity_id IS NOT NULL)
		OR part <> 'passage' AND id NOT IN (SELECT id FROM entities) AND id NOT IN (SELECT entity_id FROM text_outdated))`
)

// The SQL of Repair: likewise.
const (
	statementOf = `SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?`

	putMigrationTime = `INSERT INTO db_metadata (key, value)
		SELECT 'last_migration', coalesce(max(tstamp), datetime('now')) FROM goose_db_version WHERE TRUE
		ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value IS NULL`
	modelMostUsed = `SELECT m.model FROM embedding_models m ORDER BY (SELECT count(*) FROM passages p WHERE p.model = m.id) DESC, m.id LIMIT 1`

	deleteOrphanRelations = `DELETE FROM relations WHERE from_entity IS NULL OR to_entity IS NULL OR from_entity NOT IN (SELECT id FROM entities) OR to_entity NOT IN (SELECT id FROM entities)`
	deleteOrphanAccess    = `DELETE FROM entity_access WHERE entity_id IS NULL OR entity_id NOT IN (SELECT id FROM entities)`
	deleteOrphanPairs     = `DELETE FROM co_occurrences WHERE entity_a_id IS NULL OR entity_b_id IS NULL OR entity_a_id NOT IN (SELECT id FROM entities) OR entity_b_id NOT IN (SELECT id FROM entities)`
	deleteOrphanStates    = `DELETE FROM embedding_state WHERE entity_id NOT IN (SELECT id FROM entities)`
	deleteOrphanRenewals  = `DELETE FROM renewals WHERE ` + ofNothing
	turnPairs             = `INSERT INTO co_occurrences (entity_a_id, entity_b_id, co_count, last_co)
		SELECT entity_b_id, entity_a_id, co_count, last_co FROM co_occurrences WHERE entity_a_id > entity_b_id
		ON CONFLICT (entity_a_id, entity_b_id) DO UPDATE
		SET co_count = min(min(max(CAST(co_count AS INTEGER), 0), 1000000000) + min(max(CAST(excluded.co_count AS INTEGER), 0), 1000000000), 1000000000), last_co = max(last_co, excluded.last_co)`
	deleteWrongPairs = `DELETE FROM co_occurrences WHERE entity_a_id >= entity_b_id`

	forgetMissingSuperseded = `UPDATE observations SET supersedes = NULL WHERE supersedes NOT IN (SELECT id FROM observations)`
	forgetUnknownModels     = `UPDATE passages SET model = NULL WHERE model NOT IN (SELECT id FROM embedding_models)`

	tablesUsedUp     = `SELECT name FROM (` + sequences + `) WHERE ` + usedUp + ` ORDER BY name`
	farIDs           = `SELECT id FROM %s WHERE id >= ` + halfOfIDs + ` ORDER BY id`
	idBehindOthers   = `SELECT max(coalesce(max(id), 0), 0) + 4294967297 FROM %s WHERE id < ` + halfOfIDs
	countID          = `SELECT count(*) FROM %s WHERE id = ?`
	renumberColumn   = `UPDATE %s SET %[2]s = ? WHERE %[2]s = ?`
	countOnFrom      = `UPDATE sqlite_sequence SET seq = ? WHERE name = ?`
	markThese        = `INSERT OR IGNORE INTO text_outdated SELECT value FROM json_each(?)`
	columnsReferring = `SELECT m.name, f."from" FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f
		WHERE m.type = 'table' AND lower(f."table") = ? AND (f."to" IS NULL OR lower(f."to") = 'id') ORDER BY m.name, f."from"`

	// Ids are never used again: whatever rows that were deleted had, counting from the
	// largest that is there did not come so far.
	mendSequences = `UPDATE sqlite_sequence SET seq = t.top + 4294967296 FROM (` + sequences + `) t
		WHERE t.name = sqlite_sequence.name AND t.seq >= ` + halfOfIDs + ` AND t.top < ` + halfOfIDs

	// Their words are made anew, too.
	freeOddPassages = `UPDATE passages SET entity_id = NULL, ordinal = 0, first_observation = NULL, last_observation = NULL, text_hash = '', model = NULL
		WHERE ` + oddPassage

	noteFTSVersion     = `INSERT OR IGNORE INTO %s_config VALUES ('version', 4)`
	markPassagesOfNone = `INSERT OR IGNORE INTO text_outdated SELECT DISTINCT entity_id FROM passages WHERE entity_id IS NOT NULL`
	markTextsOfNone    = `INSERT OR IGNORE INTO text_outdated SELECT entity_id FROM entity_text UNION SELECT rowid FROM entity_fts`
	forgetModelsOfFree = `UPDATE passages SET model = NULL WHERE entity_id IS NULL AND model IS NOT NULL`
	// No row that code made is so far behind the others, and the gap could fill the disk.
	outdateFarPassages = `INSERT OR IGNORE INTO text_outdated SELECT entity_id FROM passages WHERE entity_id IS NOT NULL AND ` + farPassage
	deleteFarPassages  = `DELETE FROM passages WHERE ` + farPassage
	farPassage         = `(id < 1 OR id > 1000000 + 2 * (SELECT count(*) FROM passages))`
	fillPassageGaps    = `WITH RECURSIVE ids(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < (SELECT max(id) FROM passages))
		INSERT INTO passages (id, ordinal, text_hash) SELECT id, 0, '' FROM ids WHERE id NOT IN (SELECT id FROM passages)`

	forgetVectors = `UPDATE passages SET model = NULL WHERE model IS NOT NULL
		AND (id IN (SELECT value FROM json_each(?)) OR id NOT IN (SELECT passage_id FROM passage_vectors))`
	deleteVectorsOfNone = `DELETE FROM passage_vectors WHERE passage_id NOT IN (SELECT id FROM passages WHERE entity_id IS NOT NULL AND model IS NOT NULL)`
	vectorsAfter        = `SELECT x.passage_id, m.model, x.embedding FROM passage_vectors x
		JOIN passages p ON p.id = x.passage_id JOIN embedding_models m ON m.id = p.model
		WHERE x.passage_id > ? ORDER BY x.passage_id LIMIT ?`

	deleteWholeOfNone = `DELETE FROM entity_embeddings WHERE rowid NOT IN (SELECT id FROM entities)`
	staleWithout      = `UPDATE embedding_state SET stale = 1 WHERE stale = 0 AND entity_id NOT IN (SELECT rowid FROM entity_embeddings)`
	staleThese        = `UPDATE embedding_state SET stale = 1 WHERE entity_id IN (SELECT value FROM json_each(?))`
	staleAll          = `UPDATE embedding_state SET stale = 1`

	countByModel = `SELECT m.model, count(*) FROM passages p JOIN embedding_models m ON m.id = p.model
		WHERE p.entity_id IS NOT NULL GROUP BY m.model ORDER BY count(*) DESC, m.model`
	countWholeByModel = `SELECT model_id, count(*) FROM embedding_state WHERE stale = 0 GROUP BY model_id ORDER BY count(*) DESC, model_id`
)
