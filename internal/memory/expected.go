package memory

import (
	"context"
	"errors"
	"slices"

	"mcp-memory/internal/document"
)

// Expected is what an entity was when somebody decided to change it. Fields that
// are "" do not matter.
type Expected struct {
	Name        string
	Type        string
	Observation string // that it had
	UpdatedAt   string // as Details tells it, to the second
	Absent      bool   // that there was none: nothing else matters
}

// OutdatedError says that an entity is not any more what was expected: others have
// changed it, and nothing was done. Its text is written for the user.
type OutdatedError struct {
	Name string
	What string // of it has changed
}

func (e *OutdatedError) Error() string {
	return e.Name + " has been changed meanwhile: " + e.What
}

type expectedKey struct{}

// WithExpected returns a context whose writes are refused with an *OutdatedError
// where an entity is another than expected, or there where none was, and with a
// *NotFoundError where it is gone. That is looked at in the transaction of the write.
func WithExpected(ctx context.Context, e Expected) context.Context {
	return context.WithValue(ctx, expectedKey{}, e)
}

// expecting is fn after a look at what the context expects.
func expecting(ctx context.Context, fn func(Writer) error) func(Writer) error {
	expected, ok := ctx.Value(expectedKey{}).(Expected)
	if !ok {
		return fn
	}
	return func(w Writer) error {
		if err := expected.check(ctx, w); err != nil {
			return err
		}
		return fn(w)
	}
}

func (e Expected) check(ctx context.Context, r Reader) error {
	id, err := idOf(ctx, r, e.Name)
	if _, missing := errors.AsType[*NotFoundError](err); missing && e.Absent {
		return nil
	}
	if err != nil {
		return err
	}
	now, _, err := entityRow(ctx, r, id)
	if err != nil {
		return err
	}
	switch {
	case e.Absent:
		return &OutdatedError{now.Name, "it is there now"}
	case e.Type != "" && e.Type != now.Type:
		return &OutdatedError{now.Name, "its type is " + now.Type + " now"}
	case e.UpdatedAt != "" && e.UpdatedAt != document.Time(now.UpdatedAt):
		return &OutdatedError{now.Name, "look at it again"}
	case e.Observation == "":
		return nil
	}
	rows, err := r.ObservationRows(ctx, id)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(rows, func(row ObservationRow) bool { return row.Content == e.Observation }) {
		return &OutdatedError{now.Name, "the observation is not there any more"}
	}
	return nil
}
