package memory

import (
	"context"
	"errors"
)

// errNotWanted says that who asked for a write does not want it any more.
var errNotWanted = errors.New("the write was given up before it was committed")

type consentKey struct{}

// WithConsent returns a context whose writes ask may right before each commit,
// and are undone if it reports false.
func WithConsent(ctx context.Context, may func() bool) context.Context {
	return context.WithValue(ctx, consentKey{}, may)
}

// MayCommit returns an error if a write with this context must be undone: it has
// ended, or what WithConsent was given refuses. A Store calls it as the last
// thing before it commits a write.
func MayCommit(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if may, ok := ctx.Value(consentKey{}).(func() bool); ok && !may() {
		return errNotWanted
	}
	return nil
}

// withoutConsent returns a context whose writes need no consent: they follow from
// one that had it.
func withoutConsent(ctx context.Context) context.Context {
	return context.WithValue(ctx, consentKey{}, nil)
}

type committedKey struct{}

// WithCommitted returns a context whose write calls f once its effects are in
// the database, while it may go on to wait for vectors.
func WithCommitted(ctx context.Context, f func()) context.Context {
	return context.WithValue(ctx, committedKey{}, f)
}

// committed calls what WithCommitted was given, if anything.
func committed(ctx context.Context) {
	if f, ok := ctx.Value(committedKey{}).(func()); ok {
		f()
	}
}
