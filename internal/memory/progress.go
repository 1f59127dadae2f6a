package memory

import "context"

// Progress tells how far a long call has come.
type Progress func(done, total int, message string)

type progressKey struct{}

// WithProgress returns a context whose long calls report to p.
func WithProgress(ctx context.Context, p Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, p)
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
