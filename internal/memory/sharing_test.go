package memory_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/rank"
)

// meeting holds up those who come until all have come who are still on their way:
// the worst case for those who should not do the same work.
type meeting struct {
	mu             sync.Mutex
	changed        *sync.Cond
	members, there int
	round          int
}

func newMeeting(members int) *meeting {
	m := &meeting{members: members}
	m.changed = sync.NewCond(&m.mu)
	return m
}

func (m *meeting) come() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.there++
	for round := m.round; m.round == round && m.there < m.members; {
		m.changed.Wait()
	}
	if m.there >= m.members {
		m.there = 0
		m.round++
		m.changed.Broadcast()
	}
}

func (m *meeting) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.members--
	m.changed.Broadcast()
}

// Several servers that find the same passages without vectors at the same time, as
// after the upgrade of an old database, share the work.
func TestServersShareTheEmbedding(t *testing.T) {
	const servers, entities = 3, 1_200
	path := filepath.Join(t.TempDir(), "memory.db")
	bundles := make([]*bundle, servers)
	for i := range bundles {
		b := &bundle{embedder: &wordEmbedder{id: "words/1"}, path: path, ranking: rank.E5Small}
		b.embedder.missing.Store(true)
		b.open(t)
		t.Cleanup(func() { b.close(t) })
		bundles[i] = b
	}
	items := make([]memory.NewEntity, entities)
	for i := range items {
		items[i] = memory.NewEntity{Name: fmt.Sprint("note ", i), Observations: []string{"a kettle of tea"}}
	}
	if _, err := bundles[0].CreateEntities(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	m := newMeeting(servers)
	var group sync.WaitGroup
	for _, b := range bundles {
		b.embedder.before = func([]string) { m.come() }
		b.embedder.missing.Store(false)
		group.Go(func() {
			defer m.leave()
			for b.Settle(t.Context()) != nil { // it gives up where others write for long
				if t.Context().Err() != nil {
					t.Error("not all vectors were made")
					return
				}
			}
		})
	}
	group.Wait()
	var embedded int64
	for _, b := range bundles {
		embedded += b.embedder.passages.Load()
	}
	t.Logf("%d servers embedded %d passages for %d entities", servers, embedded, entities)
	if embedded > 2*entities { // each all of it would be three times
		t.Errorf("%d servers embedded %d passages for %d entities: they do the same work", servers, embedded, entities)
	}
}
