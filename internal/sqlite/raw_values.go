package sqlite

import (
	"fmt"
	"strings"
)

// textColumn is a column of a documented table that holds text, which another program,
// whose table it may be, can have filled with anything.
type textColumn struct {
	table, column string
	what          string // the text, with its row's id after it
	instead       string // of NULL
	of            string // the entities that it belongs to, as two columns
}

var textColumns = []textColumn{
	{"entities", "name", "name of entity", unnamed, "id, id"},
	{"entities", "entity_type", "type of entity", "Generic", "id, id"},
	{"observations", "content", "text of observation", "", "entity_id, entity_id"},
	{"relations", "relation_type", "type of relation", unnamed, "from_entity, to_entity"},
}

// unnamed is what has no name; an entity gets its id behind it.
const unnamed = "unnamed"

// blanks are the characters of which a name is none.
const blanks = `char(9, 10, 11, 12, 13, 32, 133, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200, 8201, 8202, 8232, 8233, 8239, 8287, 12288)`

// odd is a condition: the column holds no text. A number does in a column that keeps
// it as one although text is what it is compared with; others make it text, or
// compare it as a number.
func (c textColumn) odd() string {
	condition := fmt.Sprintf(`(typeof(%[2]s) IN ('null', 'blob') OR typeof(%[2]s) IN ('integer', 'real') AND EXISTS (
		SELECT 1 FROM pragma_table_info('%[1]s') p WHERE lower(p.name) = '%[2]s' AND (p.type = '' OR p.type LIKE '%%BLOB%%')))`, c.table, c.column)
	if c.instead == unnamed && c.table == "entities" {
		condition += fmt.Sprintf(` OR typeof(%s) = 'text' AND trim(%[1]s, %s) = ''`, c.column, blanks)
	}
	return condition
}

// find lists what is odd, each as a text.
func (c textColumn) find() string {
	return fmt.Sprintf(`SELECT '%s ' || id || ' is ' || CASE typeof(%s) WHEN 'null' THEN 'NULL' WHEN 'blob' THEN 'bytes' WHEN 'text' THEN 'empty' ELSE 'a number' END
		FROM %s WHERE %s`, c.what, c.column, c.table, c.odd())
}

// read reads what is odd, and whose it is.
func (c textColumn) read() string {
	return fmt.Sprintf(`SELECT id, %s, %s FROM %s WHERE %s ORDER BY id`, c.column, c.of, c.table, c.odd())
}

// put is a statement that puts a text in the place of one.
func (c textColumn) put() string {
	return fmt.Sprintf(`UPDATE OR IGNORE %s SET %s = ? WHERE id = ?`, c.table, c.column)
}

// timeColumn is a column of a documented table that holds times.
type timeColumn struct {
	table, column string
	what          string // SQL: the time, as people are told of it
	instead       string // SQL: of NULL
}

const now = `datetime('now')`

var timeColumns = []timeColumn{
	{"entities", "created_at", `'created_at of entity ' || id`, `coalesce(CAST(updated_at AS TEXT), ` + now + `)`},
	{"entities", "updated_at", `'updated_at of entity ' || id`, `coalesce(CAST(created_at AS TEXT), ` + now + `)`},
	{"observations", "created_at", `'created_at of observation ' || id`, now},
	{"relations", "created_at", `'created_at of relation ' || id`, now},
	{"entity_access", "last_access", `'last_access of entity ' || quote(entity_id)`, now},
	{"co_occurrences", "last_co", `'last_co of entities ' || quote(entity_a_id) || ' and ' || quote(entity_b_id)`, now},
}

// find lists what is no text. Times are text, whatever it says.
func (c timeColumn) find() string {
	return fmt.Sprintf(`SELECT %s || ' is ' || replace(typeof(%s), 'null', 'NULL') FROM %s WHERE typeof(%[2]s) <> 'text'`, c.what, c.column, c.table)
}

// mend takes numbers for seconds since 1970, or for milliseconds where that would be
// some thousand years.
func (c timeColumn) mend() string {
	return fmt.Sprintf(`UPDATE %s SET %s = CASE WHEN %[2]s IS NULL THEN %[3]s
		WHEN typeof(%[2]s) = 'blob' THEN CAST(%[2]s AS TEXT)
		ELSE coalesce(datetime(CASE WHEN %[2]s BETWEEN -1e11 AND 1e11 THEN %[2]s ELSE %[2]s / 1000.0 END, 'unixepoch'), CAST(%[2]s AS TEXT)) END
		WHERE typeof(%[2]s) <> 'text'`, c.table, c.column, c.instead)
}

// countColumns hold what is counted, between nothing and a bound.
var countColumns = []struct{ table, column, what string }{
	{"entity_access", "access_count", `'access_count of entity ' || quote(entity_id)`},
	{"co_occurrences", "co_count", `'co_count of entities ' || quote(entity_a_id) || ' and ' || quote(entity_b_id)`},
}

const (
	findOddCount = `SELECT %[3]s || ' is ' || substr(quote(%[2]s), 1, 40) FROM %[1]s WHERE typeof(%[2]s) <> 'integer' OR %[2]s NOT BETWEEN 0 AND 1000000000`
	mendOddCount = `UPDATE %[1]s SET %[2]s = coalesce(min(max(CAST(%[2]s AS INTEGER), 0), 1000000000), 0) WHERE typeof(%[2]s) <> 'integer' OR %[2]s NOT BETWEEN 0 AND 1000000000`
)

// valueRemedy mends counts and times of a table.
type valueRemedy struct{ table, statement string }

func valueRemedies() (list []valueRemedy) {
	for _, c := range countColumns {
		list = append(list, valueRemedy{c.table, fmt.Sprintf(mendOddCount, c.table, c.column)})
	}
	for _, c := range timeColumns {
		list = append(list, valueRemedy{c.table, c.mend()})
	}
	return list
}

// Values that a column is not for: SQLite takes them from other programs.
func oddValues() string {
	var all []string
	for _, c := range countColumns {
		all = append(all, fmt.Sprintf(findOddCount, c.table, c.column, c.what))
	}
	for _, c := range timeColumns {
		all = append(all, c.find())
	}
	return strings.Join(all, " UNION ALL ")
}

func oddTexts() string {
	var all []string
	for _, c := range textColumns {
		all = append(all, c.find())
	}
	return strings.Join(all, " UNION ALL ")
}

// countNulls counts the rows that nobody can read: those with NULL where a text
// belongs.
func countNulls() string {
	rows := map[string][]string{}
	for _, c := range textColumns {
		rows[c.table] = append(rows[c.table], c.column+" IS NULL")
	}
	for _, c := range timeColumns {
		rows[c.table] = append(rows[c.table], c.column+" IS NULL")
	}
	var all []string
	for table, nulls := range rows {
		all = append(all, fmt.Sprintf("(SELECT count(*) FROM %s WHERE %s)", table, strings.Join(nulls, " OR ")))
	}
	return "SELECT " + strings.Join(all, " + ")
}

const (
	countOfName = `SELECT count(*) FROM entities WHERE name = ?`

	// Of entities with one name, all but the first. NULL is no name.
	doubleNames = `SELECT id, name FROM (SELECT id, name, row_number() OVER (PARTITION BY name ORDER BY id) AS n FROM entities WHERE name IS NOT NULL) WHERE n > 1 ORDER BY id`

	// What an entity's text is in: its own index, and those of its neighbours.
	markTheseAndNeighbours  = `INSERT OR IGNORE INTO text_outdated SELECT id FROM entities WHERE id IN (` + theseAndNeighbours + `)`
	staleTheseAndNeighbours = `UPDATE embedding_state SET stale = 1 WHERE entity_id IN (` + theseAndNeighbours + `)`
	theseAndNeighbours      = `SELECT j.value FROM json_each(?1) j
		UNION SELECT r.to_entity FROM json_each(?1) j JOIN relations r ON r.from_entity = j.value
		UNION SELECT r.from_entity FROM json_each(?1) j JOIN relations r ON r.to_entity = j.value`

	// Observations of nothing that could be an entity, by what they say instead.
	ownersThatAreNone = `SELECT quote(entity_id), entity_id FROM observations
		WHERE entity_id IS NULL OR (typeof(entity_id) <> 'integer' AND entity_id NOT IN (SELECT id FROM entities)) GROUP BY 1 ORDER BY 1`
	insertRecovered = `INSERT INTO entities (name, entity_type, created_at, updated_at) VALUES (?, 'Recovered', ` + now + `, ` + now + `)`
	giveOwner       = `UPDATE observations SET entity_id = ? WHERE entity_id IS ?`
	triggerOfOwners = `SELECT coalesce((SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = 'mark_observation_update'), '')`
)
