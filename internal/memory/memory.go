package memory

import "time"

// Limits on what is stored and asked, in Unicode code points unless said
// otherwise. Names and relation types have at least one.
const (
	MaxNameLength         = 512
	MaxTypeLength         = 256
	MaxRelationTypeLength = 256
	MaxObservationLength  = 1_000_000
	MaxQueryLength        = 2_000 // of longer queries the middle is left out
	MaxLimit              = 1_000 // larger limits count as this
)

// DefaultEntityType is the type of an entity created without one.
const DefaultEntityType = "Generic"

// Entity is a node of the graph with its observations in order of insertion.
type Entity struct {
	ID           int64
	Name         string
	Type         string
	Observations []string
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// Relation is a directed, typed edge between two entities, by name.
type Relation struct {
	From string
	To   string
	Type string
}

// Edge is a stored relation with the ids of its ends.
type Edge struct {
	ID     int64
	FromID int64
	ToID   int64
	Relation
}

// Graph is a part of the memory: entities, and relations that touch them.
type Graph struct {
	Entities  []Entity
	Relations []Relation
}

// Page is a window onto a longer list of entities. Total counts the whole list.
type Page struct {
	Graph
	Total int
	// Incomplete says of a search that entities were not looked at, since they are
	// not indexed yet.
	Incomplete bool
}

// GraphPage is a page of the whole graph.
type GraphPage struct {
	Page
	TotalRelations int
}
