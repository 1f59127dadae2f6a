package mcpserver

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
)

func TestTurnsOfWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSchedule()
		commit, first, second := make(chan struct{}), make(chan struct{}), make(chan struct{})
		var done []string // guarded by synctest.Wait
		s.write(t.Context(), func(over func()) {
			<-commit
			over()
			over() // again is no harm
			<-first
			done = append(done, "first write")
		})
		s.read(t.Context(), "open_nodes", func() { done = append(done, "read") })
		synctest.Wait()
		if len(done) != 0 {
			t.Fatalf("%q before the write ahead of it had its turn", done)
		}
		close(commit)
		synctest.Wait()
		s.write(t.Context(), func(func()) {
			<-second
			done = append(done, "second write")
		})
		s.write(t.Context(), func(func()) { done = append(done, "third write") })
		synctest.Wait()
		close(second)
		synctest.Wait()
		close(first)
		synctest.Wait()
		if want := []string{"read", "second write", "third write", "first write"}; !slices.Equal(done, want) {
			t.Errorf("ended %q, want %q", done, want)
		}
	})
}

// TestTurnGivenUp has the order kept behind a write that was cancelled while it
// waited, also when that claims to be over.
func TestTurnGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSchedule()
		first := make(chan struct{})
		s.write(t.Context(), func(func()) { <-first })
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		told, started := false, false
		s.write(cancelled, func(over func()) {
			over()
			told = true
		})
		s.write(t.Context(), func(func()) { started = true })
		synctest.Wait()
		if !told || started {
			t.Errorf("the cancelled write was told so: %v, the one behind it started: %v", told, started)
		}
		close(first)
		synctest.Wait()
	})
}
