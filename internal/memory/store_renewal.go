package memory

import "context"

// Renewals counts what is marked to be made anew: the indexed texts of entities,
// the vectors of passages, and the documented vectors of entities.
type Renewals struct {
	Texts    int
	Passages int
	Entities int
}

// RenewalReader tells what is marked to be made anew. Until it is, it stays in use.
// A mark goes when what it is about is made, for whatever reason, or is no more.
type RenewalReader interface {
	// CountRenewals counts the marks.
	CountRenewals(ctx context.Context) (Renewals, error)
	// TextsToRenew lists entities, ids ascending; some may be gone.
	TextsToRenew(ctx context.Context, limit int) ([]int64, error)
	// PassagesToRenew returns passages, ids ascending from beyond after, without
	// those of entities that Outdated lists.
	PassagesToRenew(ctx context.Context, after int64, limit int) ([]PassageText, error)
	// EntitiesToRenew lists entities, ids ascending from beyond after.
	EntitiesToRenew(ctx context.Context, after int64, limit int) ([]int64, error)
}

// RenewalWriter marks what is to be made anew. Marks that are there are replaced.
type RenewalWriter interface {
	// MarkTexts marks the texts of all entities.
	MarkTexts(ctx context.Context) error
	// MarkPassages marks the passages that have a vector of this model.
	MarkPassages(ctx context.Context, modelID string) error
	// MarkEntities marks the vectors of all entities.
	MarkEntities(ctx context.Context) error
	// RenewTexts is Reindex that also writes what seems to be right, and takes
	// the marks of these entities' texts away.
	RenewTexts(ctx context.Context, ids []int64) error
	// UnmarkVectors takes the marks of all vectors away.
	UnmarkVectors(ctx context.Context) error
}
