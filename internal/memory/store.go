package memory

import (
	"context"
	"time"

	"mcp-memory/internal/document"
	"mcp-memory/internal/passage"
)

// Store is what the domain asks of a database. Implementations are safe for
// concurrent use, and any number of processes may share one database.
type Store interface {
	// View runs fn on one consistent snapshot. It never waits for writers.
	View(ctx context.Context, fn func(Reader) error) error
	// TryView is View for what can be done otherwise: it returns ErrBusy when it
	// would have to wait for other readers, as inside a View it might forever.
	TryView(ctx context.Context, fn func(Reader) error) error
	// Update runs fn in one write transaction, committed if fn returns nil and
	// MayCommit does.
	// While other writers hold the database it waits, within a bound, and
	// then returns ErrBusy. fn may run more than once.
	Update(ctx context.Context, fn func(Writer) error) error
	// TryUpdate is Update for bookkeeping that must not hold anyone up: it
	// returns ErrBusy when it cannot start to write within wait.
	TryUpdate(ctx context.Context, wait time.Duration, fn func(Writer) error) error
	// Commits returns a number that is another one after anybody, in this process
	// or another, has committed a write.
	Commits(ctx context.Context) (int64, error)
}

// Reader reads a snapshot.
type Reader interface {
	GraphReader
	TextReader
	PassageReader
	VectorReader
	UsageReader
	DocumentReader
	RenewalReader
	StatsReader
	RowReader
}

// Writer reads and changes the database inside one transaction. It sees its
// own changes.
type Writer interface {
	Reader
	GraphWriter
	IndexWriter
	VectorWriter
	UsageWriter
	DocumentWriter
	RenewalWriter
	RowWriter
}

// GraphReader reads entities and relations. Unknown ids and names are left
// out of answers. Lists are never nil.
type GraphReader interface {
	// EntityIDs maps each of the names that exists, byte for byte, to its id.
	EntityIDs(ctx context.Context, names []string) (map[string]int64, error)
	// Entities returns the entities with these ids, in this order.
	Entities(ctx context.Context, ids []int64) ([]Entity, error)
	// EntityHeads is Entities without their observations.
	EntityHeads(ctx context.Context, ids []int64) ([]Entity, error)
	// EntityPage returns ids in ascending order, and the number of all entities.
	EntityPage(ctx context.Context, limit, offset int) (ids []int64, total int, err error)
	// EntityIDsBefore returns ids in descending order from below before.
	EntityIDsBefore(ctx context.Context, before int64, limit int) ([]int64, error)
	// RecentEntities returns ids of those that were used, changed or made last, the
	// latest first. It may miss some that were changed by nothing but deletions.
	RecentEntities(ctx context.Context, limit int) ([]int64, error)
	// GraphState returns a text that is another one when entities, observations or
	// relations are. It does not see a second change within a second that keeps the
	// number of each, the newest of each, and all types.
	GraphState(ctx context.Context) (string, error)
	// EntityTypes lists the types that entities have, each once.
	EntityTypes(ctx context.Context) ([]string, error)
	// CountObservations counts the observations of all entities.
	CountObservations(ctx context.Context) (int, error)
	// CountEdges counts all relations.
	CountEdges(ctx context.Context) (int, error)
	// EdgesTouching returns every relation with an end in ids, each once, by id.
	EdgesTouching(ctx context.Context, ids []int64) ([]Edge, error)
	// EdgesUpTo returns every relation of which the end with the larger id is
	// in ids, each once, by id.
	EdgesUpTo(ctx context.Context, ids []int64) ([]Edge, error)
}

// GraphWriter changes entities and relations. It leaves the index and vectors
// to its caller, except that DeleteEntity removes every trace of the entity itself.
type GraphWriter interface {
	// InsertEntity adds an entity under a name that must be new.
	InsertEntity(ctx context.Context, name, entityType string) (id int64, err error)
	// SetEntityType replaces an entity's type and reports whether it was another.
	SetEntityType(ctx context.Context, id int64, entityType string) (changed bool, err error)
	// TouchEntity moves an entity's update time to now.
	TouchEntity(ctx context.Context, id int64) error
	// DeleteEntity removes an entity with its observations, relations, text
	// index row, vector and usage.
	DeleteEntity(ctx context.Context, id int64) error
	// InsertObservations appends, in order, those contents that the entity
	// does not have yet (byte for byte; a repeated one counts once), and
	// returns the appended ones.
	InsertObservations(ctx context.Context, id int64, contents []string) (added []string, err error)
	// DeleteObservations removes the contents that the entity has, and
	// returns them in the order asked, each once.
	DeleteObservations(ctx context.Context, id int64, contents []string) (deleted []string, err error)
	// InsertRelation adds an edge and reports false if it exists.
	InsertRelation(ctx context.Context, fromID, toID int64, relationType string) (created bool, err error)
	// DeleteRelation removes an edge and reports false if there is none.
	DeleteRelation(ctx context.Context, fromID, toID int64, relationType string) (deleted bool, err error)
}

// Filter narrows a search to some entities; its zero value leaves all.
type Filter struct {
	Types        []string  // types to which an entity may belong, byte for byte; nil is any
	Since, Until time.Time // when the entity changed last, both inclusive; zero is open
}

// Level is what a search for words ranks.
type Level int

// The levels: whole entities by name, type and observations, or their passages.
const (
	Entities Level = iota
	Passages
)

// WeighedWord is a word to look for, under any of its terms, with what it weighs:
// its inverse document frequency.
type WeighedWord struct {
	Terms []string
	IDF   float64
}

// TextMatch is what the word index found: an entity, or a passage of one. BM25
// is positive, higher is better.
type TextMatch struct {
	EntityID  int64
	PassageID int64 // 0 at the level of entities
	BM25      float64
	All       bool // it holds all of the words
}

// TermCounts tells how many entities hold each term of the word index.
type TermCounts struct {
	Entities int            // number of all
	Holding  map[string]int // term to number of holders; absent terms are absent
}

// TextReader searches the text index, without the entities that Outdated
// lists. Terms are those of package words, substrings are folded.
type TextReader interface {
	// Containing finds the entities of which the folded name, type or one
	// observation contains the folded substring, and the number of all of them.
	// First come those whose name it is, then those whose name contains it, then
	// the others, each by id. U+001F and NUL count as blanks.
	Containing(ctx context.Context, folded string, limit, offset int) (ids []int64, total int, err error)
	// Named finds the entities of this folded name, ids ascending, 100 at most.
	Named(ctx context.Context, foldedName string) ([]int64, error)
	// WithName finds the entities of which the folded name contains the folded
	// substring, those that begin with it first, then by name, and the number of all
	// of them.
	WithName(ctx context.Context, folded string, limit int) (ids []int64, total int, err error)
	// MatchAny finds what holds at least one of the words: what holds all first,
	// then the best BM25, ties by id. Terms of one word count as the same.
	MatchAny(ctx context.Context, level Level, words []WeighedWord, f Filter, limit int) ([]TextMatch, error)
	// TermCounts counts the entities that hold each term.
	TermCounts(ctx context.Context, terms []string) (TermCounts, error)
	// Outdated lists entities, deleted ones too, of which the index is not in
	// step, ids ascending: those that another program has changed.
	Outdated(ctx context.Context, limit int) ([]int64, error)
}

// IndexWriter keeps folded texts, word index and passages in step.
type IndexWriter interface {
	// Reindex rewrites what the index holds of these entities from what is
	// stored, and removes what is left of those that are gone. Passages whose
	// text stays the same keep their vectors. Whoever changes an entity, its
	// observations, or its relations at either end calls it before the end of
	// the transaction.
	Reindex(ctx context.Context, ids []int64) error
	// MergeIndex does a part of making one piece of the text index, which very many
	// changes leave in many, and reports whether more is left. begin is for the first
	// part.
	MergeIndex(ctx context.Context, begin bool) (more bool, err error)
}

// PassageText is a passage as it is embedded: a window of an entity's
// observations, or its relations, under the entity's name and type.
type PassageText struct {
	ID     int64
	Entity Entity
	Window passage.Window
}

// PassageVector is the vector of a passage: as the model made it, and without
// what it carries of its language (package neutral), a unit vector that had
// this length. All have Dimensions.
type PassageVector struct {
	Exact   []float32
	Neutral []float32
	Length  float64
}

// QueryVector is the vector of a question, likewise. Offset is the inner product
// of Neutral and what is taken off every passage's vector.
type QueryVector struct {
	Exact   []float32
	Neutral []float32
	Offset  float64
}

// PassageNeighbour is a passage near a query vector. Distance is the cosine
// distance of the exact vectors, 1 - cos, in [0, 2]; Likeness the cosine of the
// neutral ones.
type PassageNeighbour struct {
	PassageID int64
	EntityID  int64
	Distance  float64
	Likeness  float64
}

// PassageReader searches the vectors of passages. It leaves out passages of
// entities that Outdated lists and vectors of other models. An empty model id
// accepts the vectors of any model.
type PassageReader interface {
	// NearestPassages returns the k passages most alike that have a vector, the
	// most alike first, ties by passage id. k beyond what the index takes is
	// clamped.
	NearestPassages(ctx context.Context, modelID string, v QueryVector, f Filter, k int) ([]PassageNeighbour, error)
	// NearestOf returns the passage most alike of each of these entities, as far
	// as they have passages with a vector, the most alike first.
	NearestOf(ctx context.Context, modelID string, v QueryVector, entityIDs []int64) ([]PassageNeighbour, error)
	// PassageTexts returns the texts of passages in this order. Those that are
	// gone, or whose entity is outdated, are left out.
	PassageTexts(ctx context.Context, ids []int64) ([]PassageText, error)
	// PassagesDue returns passages without a vector of this model, ids
	// ascending from beyond after.
	PassagesDue(ctx context.Context, modelID string, after int64, limit int) ([]PassageText, error)
	// CountPassagesDue counts the passages without a vector of this model, and
	// the entities that they belong to.
	CountPassagesDue(ctx context.Context, modelID string) (passages, entities int, err error)
	// CountPassages counts all passages.
	CountPassages(ctx context.Context) (int, error)
}

// VectorReader tells which entities lack the documented vector of their whole
// text, which other programs use. A vector is fresh when it was made by the
// given model and nothing that its text is made of has changed since: name,
// type, observations, relations at both ends, names of neighbours. An empty
// model id accepts the vectors of any model.
type VectorReader interface {
	// OutOfDate returns entities that have no fresh vector, ids ascending
	// from beyond after.
	OutOfDate(ctx context.Context, modelID string, after int64, limit int) ([]int64, error)
	// Model returns the model noted by SetModel, empty if there is none.
	Model(ctx context.Context) (modelID string, err error)
}

// VectorWriter changes vectors.
type VectorWriter interface {
	// SetPassageVector stores the vector of a passage, unless its text has
	// another hash by now or it is gone.
	SetPassageVector(ctx context.Context, passageID int64, modelID, textHash string, v PassageVector) error
	// SetVector stores the vector of an entity and what it was made from.
	SetVector(ctx context.Context, id int64, modelID, textHash string, vector []float32) error
	// SetVectorOf stores as the vector of an entity that of its passage with
	// this text, if that has one, and reports whether it did.
	SetVectorOf(ctx context.Context, id int64, modelID, textHash, passageHash string) (bool, error)
	// SetModel notes in the database which model made its vectors.
	SetModel(ctx context.Context, modelID string, dimensions int, textFormat string) error
}

// Usage is what is known of how an entity is used. An entity never accessed
// has Accesses 0 and LastAccess equal to its creation time. Degree counts the
// relations at both ends; a self loop counts two.
type Usage struct {
	EntityID   int64
	Accesses   int
	LastAccess time.Time
	Degree     int
}

// CoOccurrence counts how often two entities were used together; A < B.
type CoOccurrence struct {
	A, B  int64
	Count int
}

// UsageReader reads the signals of the ranking.
type UsageReader interface {
	// Usages returns the usage of each of ids that exists, in this order.
	Usages(ctx context.Context, ids []int64) ([]Usage, error)
	// CoOccurrences returns the pairs that lie within ids, by A and B.
	CoOccurrences(ctx context.Context, ids []int64) ([]CoOccurrence, error)
}

// UsageWriter records use.
type UsageWriter interface {
	// EnsureUsage gives an entity that has none its first access.
	EnsureUsage(ctx context.Context, id int64) error
	// RecordAccess adds one access to each of ids that exists.
	RecordAccess(ctx context.Context, ids []int64) error
	// RecordTogether adds one co-occurrence to each pair of ids that exist.
	RecordTogether(ctx context.Context, ids []int64) error
}

// DocumentReader reads all that is stored, to write it down elsewhere. Names are
// those of entities that exist; what refers to others is left out.
type DocumentReader interface {
	// EntityIDsAfter returns ids in ascending order from beyond after.
	EntityIDsAfter(ctx context.Context, after int64, limit int) ([]int64, error)
	// WholeEntities returns the entities with these ids, in this order.
	WholeEntities(ctx context.Context, ids []int64) ([]document.Entity, error)
	// WholeRelations returns relations by id from beyond after, and the last id.
	WholeRelations(ctx context.Context, after int64, limit int) (relations []document.Relation, last int64, err error)
	// WholeCoOccurrences returns the pairs of which the entity with the smaller id,
	// A, is in ids, by the ids of A and B.
	WholeCoOccurrences(ctx context.Context, ids []int64) ([]document.CoOccurrence, error)
	// PassageVectors returns the vectors of passages of these entities, by entity and
	// place, without those of entities that Outdated lists.
	PassageVectors(ctx context.Context, ids []int64) ([]document.Vector, error)
	// EntityVectors likewise returns the fresh vectors of whole entities.
	EntityVectors(ctx context.Context, ids []int64) ([]document.Vector, error)
	// PassagesWithout returns the ids of an entity's passages that have no vector, by
	// text hash and in order.
	PassagesWithout(ctx context.Context, id int64) (map[string][]int64, error)
}

// RestoredEdge is a relation between two ids. Without a time it was created now.
type RestoredEdge struct {
	FromID, ToID int64
	Type         string
	CreatedAt    *string
}

// RestoredPair tells how often two entities were used together, and when last; nil is
// now.
type RestoredPair struct {
	A, B  int64
	Count int64
	Last  *string
}

// DocumentWriter takes over what was stored elsewhere, many at a time. Texts are UTF-8
// without NUL; times that are nil are now. As with GraphWriter, the index is the
// caller's task.
type DocumentWriter interface {
	// RestoreEntities adds entities, under names that must be new and differ, as they
	// were: times, use and all observations in their order. It returns their ids in the
	// same order.
	RestoreEntities(ctx context.Context, entities []document.Entity) (ids []int64, err error)
	// MergeEntity adds to an entity the observations that it lacks, and reports
	// whether there were any. Of creation times the earlier one counts that is not
	// empty; of update times, accesses and access times the greater.
	MergeEntity(ctx context.Context, id int64, e document.Entity) (added bool, err error)
	// RestoreRelations adds edges, and returns the ends of those that did not exist.
	RestoreRelations(ctx context.Context, edges []RestoredEdge) (created [][2]int64, err error)
	// RestoreTogether notes how often entities were used together and when last,
	// unless more or later is known.
	RestoreTogether(ctx context.Context, pairs []RestoredPair) error
}
