package memory

import (
	"context"
	"time"
)

// Stats is what the memory holds, in numbers. Lists have the most first, but
// months in their order.
type Stats struct {
	Entities, Observations, Relations int

	Types         []Count // of entities
	RelationTypes []Count
	Months        []Count // in which entities were created, as 2026-11; "" for no time
	MostUsed      []Used

	// When entities were created first and last, and changed last; zero if there
	// are none.
	Oldest, Newest, Changed time.Time

	Models   []Count // passages with a vector of each, as VectorsOf names it; "" for none yet
	Outdated int     // entities to be indexed anew, as another program has changed them
}

// Count is how many there are of something.
type Count struct {
	Name  string
	Count int
}

// Used is how often an entity was used, and when last.
type Used struct {
	Name     string
	Accesses int
	Last     time.Time
}

// StatsReader counts.
type StatsReader interface {
	// Stats counts everything, and lists that many of the most used entities.
	Stats(ctx context.Context, mostUsed int) (Stats, error)
}

// StatsOf counts what a store holds.
func StatsOf(ctx context.Context, store Store, mostUsed int) (stats Stats, err error) {
	err = store.View(ctx, func(r Reader) error {
		stats, err = r.Stats(ctx, mostUsed)
		return err
	})
	return stats, err
}
