package memory

import (
	"context"
	"time"
)

// Store is what the domain asks of a database. Implementations are safe for
// concurrent use, and any number of processes may share one database.
type Store interface {
	// View runs fn on one consistent snapshot. It never waits for writers.
	View(ctx context.Context, fn func(Reader) error) error
	// Update runs fn in one write transaction, committed if fn returns nil.
	// While other writers hold the database it waits, within a bound, and
	// then returns ErrBusy. fn may run more than once.
	Update(ctx context.Context, fn func(Writer) error) error
	// TryUpdate is Update for bookkeeping that must not hold anyone up: it
	// returns ErrBusy when it cannot start to write within wait.
	TryUpdate(ctx context.Context, wait time.Duration, fn func(Writer) error) error
}

// Reader reads a snapshot.
type Reader interface {
	GraphReader
	TextReader
	VectorReader
	UsageReader
}

// Writer reads and changes the database inside one transaction. It sees its
// own changes.
type Writer interface {
	Reader
	GraphWriter
	TextWriter
	VectorWriter
	UsageWriter
}

// GraphReader reads entities and relations. Unknown ids and names are left
// out of answers. Lists are never nil.
type GraphReader interface {
	// EntityIDs maps each of the names that exists, byte for byte, to its id.
	EntityIDs(ctx context.Context, names []string) (map[string]int64, error)
	// Entities returns the entities with these ids, in this order.
	Entities(ctx context.Context, ids []int64) ([]Entity, error)
	// EntityPage returns ids in ascending order, and the number of all entities.
	EntityPage(ctx context.Context, limit, offset int) (ids []int64, total int, err error)
	// CountEdges counts all relations.
	CountEdges(ctx context.Context) (int, error)
	// EdgesTouching returns every relation with an end in ids, each once, by id.
	EdgesTouching(ctx context.Context, ids []int64) ([]Edge, error)
	// EdgesUpTo returns every relation of which the end with the larger id is
	// in ids, each once, by id.
	EdgesUpTo(ctx context.Context, ids []int64) ([]Edge, error)
}

// GraphWriter changes entities and relations. It leaves text index and
// vectors to its caller, except that DeleteEntity removes every trace.
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

// TextMatch is an entity that the text index found. BM25 is positive, higher
// is better.
type TextMatch struct {
	EntityID int64
	BM25     float64
}

// TermCounts tells how many entities hold each term of the text index.
type TermCounts struct {
	Documents int            // number of indexed entities
	Holding   map[string]int // term to number of entities; absent terms are absent
}

// TextReader searches the text index, without the entities that OutdatedTexts
// lists. Substrings and fragments are given folded
// by Fold; terms as they are, for the index has its own way of folding words.
type TextReader interface {
	// Containing finds the entities of which the folded name, type or one
	// observation contains the folded substring, ids ascending, and the
	// number of all of them.
	Containing(ctx context.Context, folded string, limit, offset int) (ids []int64, total int, err error)
	// MatchAny finds entities that hold at least one of the terms as a whole
	// word, the best BM25 first and ties by id. Terms consist of letters,
	// marks and digits only.
	MatchAny(ctx context.Context, terms []string, limit int) ([]TextMatch, error)
	// ContainingAny counts, for every entity whose folded text contains at
	// least one of the folded fragments, how many it contains: most first,
	// ties by id. It serves scripts that put no blanks between words.
	ContainingAny(ctx context.Context, fragments []string, limit int) (counts []FragmentCount, err error)
	// OutdatedTexts lists entities, deleted ones too, of which the index rows
	// are not in step, ids ascending: those that another program has changed.
	OutdatedTexts(ctx context.Context, limit int) ([]int64, error)
	// TermCounts counts the entities that hold each term.
	TermCounts(ctx context.Context, terms []string) (TermCounts, error)
}

// FragmentCount is the number of fragments that an entity's text contains.
type FragmentCount struct {
	EntityID int64
	Count    int
}

// TextWriter keeps the text index in step.
type TextWriter interface {
	// RefreshText rewrites the index rows of these entities from what is stored,
	// and removes what is left of those that are gone.
	// Whoever changes a name, a type or an observation calls it before the end
	// of the transaction.
	RefreshText(ctx context.Context, ids []int64) error
}

// Neighbour is an entity near a query vector. Distance is cosine distance,
// 1 - cos, in [0, 2].
type Neighbour struct {
	EntityID int64
	Distance float64
}

// VectorReader searches vectors. A vector is fresh when it was made by the
// given model and nothing that its text is made of has changed since: name,
// type, observations, relations at both ends, names of neighbours. An empty
// model id accepts the vectors of any model.
type VectorReader interface {
	// Nearest returns the k nearest fresh vectors, nearest first, ties by id.
	// k beyond what the index takes is clamped.
	Nearest(ctx context.Context, modelID string, vector []float32, k int) ([]Neighbour, error)
	// Distances returns how far those of ids are that have a fresh vector.
	Distances(ctx context.Context, modelID string, vector []float32, ids []int64) ([]Neighbour, error)
	// OutOfDate returns entities that have no fresh vector, ids ascending
	// from beyond after.
	OutOfDate(ctx context.Context, modelID string, after int64, limit int) ([]int64, error)
	// CountOutOfDate counts the entities that have no fresh vector.
	CountOutOfDate(ctx context.Context, modelID string) (int, error)
	// Model returns the model noted by SetModel, empty if there is none.
	Model(ctx context.Context) (modelID string, err error)
}

// VectorWriter changes vectors.
type VectorWriter interface {
	// SetVector stores the vector of an entity and what it was made from.
	SetVector(ctx context.Context, id int64, modelID, textHash string, vector []float32) error
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
