package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// The groups of what Verify checks, in the order of the report.
const (
	groupPages   = "pages"
	groupSchema  = "schema"
	groupData    = "data"
	groupNames   = "names"
	groupIndex   = "text index"
	groupVectors = "vector index"
)

// words say what a finding is.
type words struct {
	group     string
	one, more string // after the number; of which more is the default
}

func (w words) sentence(n int) string {
	if w.one == "" {
		return grouped(n) + " " + w.more
	}
	return plural(n, w.one, w.more)
}

// vocabulary has the words for each check of Verify.
var vocabulary = map[string]words{
	sqlite.CheckIntegrity:          {groupPages, "place in the file is damaged", "places in the file are damaged"},
	sqlite.CheckSchema:             {groupSchema, "table, index or trigger is missing or another", "tables, indexes or triggers are missing or others"},
	sqlite.CheckForeign:            {groupSchema, "trigger or unique index is on the memory's tables and not of it: it may change or refuse what is written", "triggers or unique indexes are on the memory's tables and not of it: they may change or refuse what is written"},
	sqlite.CheckMetadata:           {groupSchema, "note about the database is missing or wrong", "notes about the database are missing or wrong"},
	sqlite.CheckForeignKeys:        {groupData, "row refers to what is gone", "rows refer to what is gone"},
	sqlite.CheckOrphanObservations: {groupData, "observation of an entity that is gone", "observations of entities that are gone"},
	sqlite.CheckOrphanRelations:    {groupData, "relation of an entity that is gone", "relations of entities that are gone"},
	sqlite.CheckOrphanAccess:       {groupData, "record of use of an entity that is gone", "records of use of entities that are gone"},
	sqlite.CheckOrphanPairs:        {groupData, "record of common use with an entity that is gone", "records of common use with entities that are gone"},
	sqlite.CheckOrphanStates:       {groupData, "note about the vector of an entity that is gone", "notes about vectors of entities that are gone"},
	sqlite.CheckOrphanRenewals:     {groupData, "mark of what is to be made anew is of what is gone", "marks of what is to be made anew are of what is gone"},
	sqlite.CheckPairs:              {groupData, "record of common use is of one entity, or the wrong way round", "records of common use are of one entity, or the wrong way round"},
	sqlite.CheckTexts:              {groupData, "name, type or text is none, as another program wrote it", "names, types or texts are none, as another program wrote them"},
	sqlite.CheckValues:             {groupData, "count or time is none", "counts or times are none"},
	sqlite.CheckIDs:                {groupData, "table takes no new rows, or soon none: its ids are used up", "tables take no new rows, or soon none: their ids are used up"},
	sqlite.CheckSequences:          {groupData, "count of ids is far beyond all ids: soon its table will take no new rows, or does already", "counts of ids are far beyond all ids: soon their tables will take no new rows, or do already"},
	sqlite.CheckNames:              {groupNames, "name is stored in several spellings that look the same", "names are stored in several spellings that look the same"},
	sqlite.CheckText:               {groupIndex, "entity has no or a wrong text for substring search", "entities have no or a wrong text for substring search"},
	sqlite.CheckFTS:                {groupIndex, "entry of the documented text index is missing or wrong", "entries of the documented text index are missing or wrong"},
	sqlite.CheckTrigrams:           {groupIndex, "entry of the substring index is missing or wrong", "entries of the substring index are missing or wrong"},
	sqlite.CheckEntityTerms:        {groupIndex, "entry of the word index of entities is missing or wrong", "entries of the word index of entities are missing or wrong"},
	sqlite.CheckPassages:           {groupIndex, "passage is missing or does not fit its entity", "passages are missing or do not fit their entities"},
	sqlite.CheckPassageTerms:       {groupIndex, "entry of the word index of passages is missing or wrong", "entries of the word index of passages are missing or wrong"},
	sqlite.CheckVectors:            {groupVectors, "vector of a passage is missing, wrong or left behind", "vectors of passages are missing, wrong or left behind"},
	sqlite.CheckCoarse:             {groupVectors, "entry of the vector index is missing or wrong", "entries of the vector index are missing or wrong"},
	sqlite.CheckCoarseChunks:       {groupVectors, "place in the vector index is not what it seems", "places in the vector index are not what they seem"},
	sqlite.CheckWhole:              {groupVectors, "documented vector of an entity is missing, wrong or left behind", "documented vectors of entities are missing, wrong or left behind"},
	sqlite.CheckWholeChunks:        {groupVectors, "place of the documented vectors is not what it seems", "places of the documented vectors are not what they seem"},
	sqlite.CheckStates:             {groupVectors, "documented vector is of another text", "documented vectors are of another text"},
}

func wordsOf(check string) words { return vocabulary[check] }

// contents looks into the file.
func (d *doctor) contents(ctx context.Context) sqlite.Overview {
	o, err := sqlite.Survey(ctx, d.db)
	newer, isNewer := errors.AsType[*sqlite.NewerError](err)
	refused, isRefused := errors.AsType[*sqlite.OpenError](err)
	latest := sqlite.LatestVersion()
	switch {
	case isNewer:
		d.fail(groupSchema, "update mcp-memory", "version %d, of a newer mcp-memory: this one knows %d", newer.Have, newer.Know)
		return o
	case errors.Is(err, sqlite.ErrUnfinished):
		d.warn(groupPages, "start a server, or run "+shellLine(append([]string{"mcp-memory", "list"}, d.databaseArguments()...))+": it undoes what is unfinished; then look again",
			"not looked at: another program was interrupted while it wrote")
		return o
	case isRefused:
		d.fail(groupSchema, "set --db to the file of a memory", "%s", refused.Reason)
		return o
	case err != nil:
		d.fail(groupSchema, "", "%s", oneLine(err))
		return o
	case o.Damaged: // as will be told
	case o.Empty:
		d.ok(groupSchema, "empty: the server makes its tables when it starts")
		return o
	case o.Unnoted:
		d.fail(groupSchema, d.fixCommand(), "the note of its version is gone; it is of version %d, as its tables show", latest)
		d.verify(ctx, o)
		d.data = true
		return o
	case o.Adopted:
		d.warn(groupSchema, "start a server: it takes the database over, and keeps a copy", "a database of the Python server")
	case o.Version < latest:
		d.warn(groupSchema, "start a server: it migrates the database, and keeps a copy", "version %d, older than this mcp-memory's, %d", o.Version, latest)
	}
	d.verify(ctx, o)
	return o
}

// verify checks all that is in the database.
func (d *doctor) verify(ctx context.Context, o sqlite.Overview) {
	report, err := sqlite.Verify(ctx, d.db)
	older := errors.Is(err, sqlite.ErrOlderSchema)
	if err != nil && !older {
		d.fail(groupPages, "", "the database cannot be checked: %s", oneLine(err))
		return
	}
	if d.findings(report, groupPages); report.Has(sqlite.CheckIntegrity) {
		return
	}
	d.ok(groupPages, "sound")
	if older {
		return
	}
	d.data = report.Pending.Entities > 0
	for _, group := range []struct{ name, well string }{
		{groupSchema, fmt.Sprintf("version %d", o.Version)},
		{groupData, fmt.Sprintf("%s in %s", plural(report.Entities, "entity", "entities"), plural(report.Passages, "passage", "passages"))},
		{groupNames, "each once"},
		{groupIndex, indexed(report.Pending.Entities)},
		{groupVectors, "as made from the passages"},
	} {
		if d.findings(report, group.name) {
			continue
		}
		if group.name != groupSchema && report.Has(sqlite.CheckSchema) || report.Partial && group.name != groupData && group.name != groupSchema {
			continue // not looked at
		}
		if group.name == groupIndex && report.Pending.Entities >= memory.ManyUnindexed {
			d.warn(groupIndex, "leave a server running, or run "+shellLine(append([]string{"mcp-memory", "reindex", "--text"}, d.databaseArguments()...)),
				"%s to be indexed anew; until then, agents do not find them", plural(report.Pending.Entities, "entity is", "entities are"))
			continue
		}
		d.ok(group.name, "%s", group.well)
	}
	if report.Has(sqlite.CheckForeign) {
		d.data = false
	}
}

func indexed(pending int) string {
	entities := plural(pending, "entity is", "entities are")
	switch {
	case pending == 0:
		return "as made from the entities"
	case pending < memory.ManyUnindexed:
		return entities + " indexed anew at the next search"
	}
	return entities + " to be indexed anew: a server that runs does it, and so does `mcp-memory search`"
}

// findings adds those of a group, and reports whether there are any.
func (d *doctor) findings(report sqlite.Report, group string) (any bool) {
	for _, f := range report.Findings {
		w := wordsOf(f.Check)
		if w.group != group {
			continue
		}
		any = true
		c := check{Name: group, State: stateFail, What: w.sentence(f.Count), Examples: slices.Clone(f.Examples)}
		switch f.Check {
		case sqlite.CheckIntegrity:
			c.Do = d.restore()
		case sqlite.CheckForeign:
			c.Do = d.removeForeign()
		case sqlite.CheckNames:
			c.State = stateWarn
			c.Do = "have your agent open them, add to one what the others hold, and delete those"
		default:
			if c.Do = d.fixCommand(); report.Has(sqlite.CheckForeign) {
				c.Do = "once the triggers or unique indexes told above are gone: " + c.Do
			}
			d.data = true
		}
		d.add(c)
	}
	return any
}

// removeForeign says what to do about what others put on the tables.
func (d *doctor) removeForeign() string {
	return "read what each does (SELECT sql FROM sqlite_schema WHERE name = '…') and, unless a program of yours needs it, end all servers, copy the file and " +
		"run DROP TRIGGER or DROP INDEX with its name in a SQLite shell; --fix never removes one, and repairs nothing in the database while there is any"
}

// restore says how to go back to a copy.
func (d *doctor) restore() string {
	do := "end all servers, move the file away, and put a copy of it in its place"
	if copies := copiesOf(d.db); len(copies) > 0 {
		do += ", such as " + copies[len(copies)-1]
	}
	return do + "; before that, mcp-memory export may save what can still be read"
}
