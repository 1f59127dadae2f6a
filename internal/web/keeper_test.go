package web

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
)

func nothingLeft(memory.Journal) (memory.Journal, error) { return memory.Journal{}, nil }

func TestKeeperForgets(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	k := newKeeper(func() time.Time { return now })
	first := k.keep(memory.Journal{})
	now = now.Add(keepFor - time.Second)
	if _, err := k.undo(first, nothingLeft); err != nil {
		t.Errorf("in time: %v", err)
	}
	late := k.keep(memory.Journal{})
	now = now.Add(time.Minute)
	if diff := cmp.Diff(map[string]int{late: 9 * 60}, k.left([]string{first, late})); diff != "" {
		t.Errorf("after a minute (-want +got):\n%s", diff)
	}
	now = now.Add(keepFor - time.Minute)
	if left := k.left([]string{late}); len(left) > 0 {
		t.Errorf("too late, but %v seconds are left", left)
	}
	if _, err := k.undo(late, nothingLeft); !errors.Is(err, errTooLate) || !strings.Contains(err.Error(), "10 minutes") {
		t.Errorf("too late: %v", err)
	}

	var ids []string
	for range maxKept + 1 {
		ids = append(ids, k.keep(memory.Journal{}))
	}
	if _, err := k.undo(ids[0], nothingLeft); !errors.Is(err, errTooLate) {
		t.Errorf("the oldest of too many: %v", err)
	}
	if _, err := k.undo(ids[1], nothingLeft); err != nil {
		t.Errorf("the oldest that has room: %v", err)
	}
}

// What fails can be tried again.
func TestKeeperKeepsWhatFailed(t *testing.T) {
	k := newKeeper(time.Now)
	id := k.keep(memory.Journal{})
	busy := errors.New("busy")
	if _, err := k.undo(id, func(memory.Journal) (memory.Journal, error) { return memory.Journal{}, busy }); !errors.Is(err, busy) {
		t.Errorf("failing: %v", err)
	}
	if _, err := k.undo(id, nothingLeft); err != nil {
		t.Errorf("again: %v", err)
	}
	if _, err := k.undo(id, nothingLeft); !errors.Is(err, errTooLate) {
		t.Errorf("a third time: %v", err)
	}
}
