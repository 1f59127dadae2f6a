package web

import (
	"crypto/rand"
	"net/http"
	"slices"
	"sync"
	"time"

	"mcp-memory/internal/memory"
)

// Changes can be taken back for so long, and so many of them.
const (
	keepFor  = 10 * time.Minute
	maxKept  = 100
	maxBytes = 64 << 20
)

// errTooLate says that a change cannot be taken back any more.
var errTooLate = &requestError{
	http.StatusGone,
	"This can no longer be undone, or has been: changes are kept for 10 minutes, the last 100 of them, and only as long as the server runs",
}

// keeper keeps what changes can be taken back by. It is safe for concurrent use.
type keeper struct {
	now func() time.Time

	mu   sync.Mutex
	kept []kept // the oldest first
	// owed are relations of what was brought back to what is gone still: when
	// that comes back, so do they.
	owed memory.Journal
}

type kept struct {
	id      string
	journal memory.Journal
	until   time.Time
}

func newKeeper(now func() time.Time) *keeper { return &keeper{now: now} }

// keep keeps a journal, and returns its id. The oldest make room; the newest is
// kept however large it is.
func (k *keeper) keep(j memory.Journal) (id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	id = rand.Text()
	k.kept = append(k.kept, kept{id, j, k.now().Add(keepFor)})
	k.forget()
	return id
}

// undo takes the change with this id back, by what is given, once. It reports
// whether a part of it had to stay away. If it fails, it can be tried again.
func (k *keeper) undo(id string, undo func(memory.Journal) (left memory.Journal, err error)) (incomplete bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.forget()
	for i, change := range k.kept {
		if change.id != id {
			continue
		}
		left, err := undo(k.owed.Join(change.journal))
		if err != nil {
			return false, err
		}
		incomplete = left.Size() > k.owed.Size()
		k.owed = left
		k.kept = append(k.kept[:i], k.kept[i+1:]...)
		return incomplete, nil
	}
	return false, errTooLate
}

// left returns the seconds for which each of these changes can still be taken back.
func (k *keeper) left(ids []string) map[string]int {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.forget()
	seconds := map[string]int{}
	for _, change := range k.kept {
		if slices.Contains(ids, change.id) {
			seconds[change.id] = int(change.until.Sub(k.now()).Seconds())
		}
	}
	return seconds
}

// forget drops what is too old or too much.
func (k *keeper) forget() {
	size := 0
	for i, change := range slices.Backward(k.kept) {
		size += change.journal.Size()
		newest := i == len(k.kept)-1
		if !k.now().Before(change.until) || len(k.kept)-i > maxKept || size > maxBytes && !newest {
			clear(k.kept[:i+1])
			k.kept = k.kept[i+1:]
			break
		}
	}
	if len(k.kept) == 0 { // what is owed comes with one of them
		k.owed = memory.Journal{}
	}
}
