package memory

import (
	"context"

	"mcp-memory/internal/document"
)

// ObservationRow is a stored observation. Ids ascend in order of insertion and are
// never given twice.
type ObservationRow struct {
	ID int64
	document.Observation
}

// RelationRow is a stored relation.
type RelationRow struct {
	ID, FromID, ToID int64
	document.Relation
}

// TogetherRow is a stored co-occurrence.
type TogetherRow struct {
	AID, BID int64
	document.CoOccurrence
}

// RowReader reads rows of one entity as they are stored. Lists are never nil.
type RowReader interface {
	// ObservationRows returns the observations of an entity, by id.
	ObservationRows(ctx context.Context, entityID int64) ([]ObservationRow, error)
	// RelationRows returns the relations from or to an entity, by id.
	RelationRows(ctx context.Context, entityID int64) ([]RelationRow, error)
	// TogetherRows returns the co-occurrences of an entity, the most frequent first.
	TogetherRows(ctx context.Context, entityID int64) ([]TogetherRow, error)
	// MostUsed returns the ids of the entities with most accesses, these first.
	MostUsed(ctx context.Context, limit int) ([]int64, error)
}

// RowWriter puts rows back that were taken away. As with GraphWriter, the index is
// the caller's task.
type RowWriter interface {
	// PutEntity adds an entity under an id and a name that must be free, with its
	// times and use. Its observations are not looked at.
	PutEntity(ctx context.Context, id int64, e document.Entity) error
	// PutObservations adds observations under their ids, except those with a content
	// that the entity already has, and reports whether any was added.
	PutObservations(ctx context.Context, entityID int64, rows []ObservationRow) (added bool, err error)
	// PutRelation adds a relation, and reports false if it exists.
	PutRelation(ctx context.Context, row RelationRow) (created bool, err error)
	// SetUpdated sets the update time of an entity.
	SetUpdated(ctx context.Context, id int64, at string) error
}
