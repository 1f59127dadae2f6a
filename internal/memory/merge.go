package memory

import (
	"context"
	"maps"
	"slices"

	"mcp-memory/internal/document"
)

// merger puts entities into the store inside one transaction, and keeps track
// of which of them changed and what follows from that.
type merger struct {
	w       Writer
	known   *resolver
	changed map[int64]bool // whose text has changed
	created map[int64]bool // those of them that are new
}

func newMerger(w Writer) *merger {
	return &merger{w: w, changed: map[int64]bool{}, created: map[int64]bool{}}
}

// prepare looks up the names of all items in one go.
func (m *merger) prepare(ctx context.Context, items []NewEntity) error {
	names := make([]string, len(items))
	for i, item := range items {
		names[i] = item.Name
	}
	var err error
	m.known, err = resolve(ctx, m.w, names)
	return err
}

// merge creates the item's entity, or merges the item into it.
func (m *merger) merge(ctx context.Context, item NewEntity) (int64, error) {
	id, exists := m.known.id(item.Name)
	changed := !exists
	entityType, typed := item.typeGiven()
	switch {
	case !exists:
		name := CanonicalName(item.Name)
		if !typed {
			entityType = DefaultEntityType
		}
		var err error
		if id, err = m.w.InsertEntity(ctx, name, entityType); err != nil {
			return 0, err
		}
		m.known.add(name, id)
		m.created[id] = true
	case typed:
		var err error
		if changed, err = m.w.SetEntityType(ctx, id, entityType); err != nil {
			return 0, err
		}
	}
	added, err := m.w.InsertObservations(ctx, id, item.Observations)
	if err != nil {
		return 0, err
	}
	if exists {
		// An upsert counts as an update even if it brings nothing new, as it always has.
		if err := m.w.TouchEntity(ctx, id); err != nil {
			return 0, err
		}
	}
	if changed || len(added) > 0 {
		m.changed[id] = true
	}
	return id, nil
}

// mergeAll merges items in their order. Those that are new, which in a large import
// are most, are inserted together.
func (m *merger) mergeAll(ctx context.Context, items []NewEntity) error {
	var (
		added  []document.Entity
		others []NewEntity
		seen   = map[string]bool{}
	)
	for _, item := range items {
		name := CanonicalName(item.Name)
		if _, exists := m.known.id(item.Name); exists || seen[name] {
			others = append(others, item)
			continue
		}
		seen[name] = true
		entityType, typed := item.typeGiven()
		if !typed {
			entityType = DefaultEntityType
		}
		added = append(added, document.Entity{Name: name, Type: entityType, Observations: onceEach(item.Observations)})
	}
	ids, err := m.w.RestoreEntities(ctx, added)
	if err != nil {
		return err
	}
	for i, id := range ids {
		m.known.add(added[i].Name, id)
		m.changed[id], m.created[id] = true, true
	}
	for _, item := range others {
		if _, err := m.merge(ctx, item); err != nil {
			return err
		}
	}
	return nil
}

// onceEach are observations made now, a repeated one once.
func onceEach(contents []string) (list []document.Observation) {
	seen := make(map[string]bool, len(contents))
	for _, content := range contents {
		if !seen[content] {
			seen[content] = true
			list = append(list, document.Observation{Content: content})
		}
	}
	return list
}

// finish brings the index in step with the changes and returns how many
// entities changed.
func (m *merger) finish(ctx context.Context) (int, error) {
	return len(m.changed), m.w.Reindex(ctx, slices.Sorted(maps.Keys(m.changed)))
}
