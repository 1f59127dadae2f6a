package memory

import "context"

// Progress tells how far a long call has come.
type Progress func(done, total int, message string)

type progressKey struct{}

// WithProgress returns a context whose long calls report to p.
func WithProgress(ctx context.Context, p Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, p)
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

// watched reports whether ctx has a Progress.
func watched(ctx context.Context) bool {
	_, ok := ctx.Value(progressKey{}).(Progress)
	return ok
}

// report tells ctx's Progress, if it has one.
func report(ctx context.Context, done, total int, message string) {
	if p, ok := ctx.Value(progressKey{}).(Progress); ok {
		p(done, total, message)
	}
}
