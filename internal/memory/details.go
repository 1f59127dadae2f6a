package memory

import (
	"context"
	"slices"

	"mcp-memory/internal/document"
)

// Details are all that is known of an entity. Times are as stored.
type Details struct {
	document.Entity
	Relations []document.Relation     // from and to it, the oldest first
	Together  []document.CoOccurrence // what it was used with, the most frequent first
}

// Details reads an entity. That does not count as use. There may be none of the
// name: that is a *NotFoundError.
func (s *Service) Details(ctx context.Context, name string) (Details, error) {
	d := Details{Relations: []document.Relation{}, Together: []document.CoOccurrence{}}
	err := s.store.View(ctx, func(r Reader) error {
		id, err := idOf(ctx, r, name)
		if err != nil {
			return err
		}
		whole, err := r.WholeEntities(ctx, []int64{id})
		if err != nil || len(whole) == 0 {
			return err
		}
		d.Entity = whole[0]
		relations, err := r.RelationRows(ctx, id)
		if err != nil {
			return err
		}
		for _, row := range relations {
			d.Relations = append(d.Relations, row.Relation)
		}
		together, err := r.TogetherRows(ctx, id)
		for _, row := range together {
			d.Together = append(d.Together, row.CoOccurrence)
		}
		return err
	})
	return d, err
}

// Node is an entity as a point of the graph. Degree counts relations at both ends.
type Node struct {
	Name     string
	Type     string
	Accesses int
	Degree   int
}

// Outline is a part of the graph without its texts. Total counts what it is a
// part of: all entities, or all neighbours.
type Outline struct {
	Nodes     []Node
	Relations []Relation
	Total     int
}

// Outline returns a page of all entities by age, and the relations from or to these
// of which the other end is on this page or an earlier one.
func (s *Service) Outline(ctx context.Context, limit, offset int) (o Outline, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		ids, total, err := r.EntityPage(ctx, limit, offset)
		if err != nil {
			return err
		}
		o.Total = total
		if o.Nodes, err = nodes(ctx, r, ids); err != nil {
			return err
		}
		edges, err := r.EdgesUpTo(ctx, ids)
		o.Relations = relationsOf(edges)
		return err
	})
	return o, err
}

// MostUsed returns the entities with most accesses, and the relations among them.
func (s *Service) MostUsed(ctx context.Context, limit int) (o Outline, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		ids, err := r.MostUsed(ctx, limit)
		if err != nil {
			return err
		}
		if _, o.Total, err = r.EntityPage(ctx, 0, 0); err != nil {
			return err
		}
		o.Nodes, o.Relations, err = among(ctx, r, ids, ids)
		return err
	})
	return o, err
}

// Neighbourhood returns an entity, a page of its neighbours, the most used first,
// and the relations from or to these of which the other end is the entity, on
// the page, or among the names that are shown already.
func (s *Service) Neighbourhood(ctx context.Context, name string, limit, offset int, shown []string) (o Outline, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		id, err := idOf(ctx, r, name)
		if err != nil {
			return err
		}
		neighbours, err := neighboursOf(ctx, r, []int64{id})
		if err != nil {
			return err
		}
		if neighbours, err = byUse(ctx, r, neighbours); err != nil {
			return err
		}
		o.Total = len(neighbours)
		page := neighbours[min(offset, o.Total):min(offset+limit, o.Total)]
		known, err := r.EntityIDs(ctx, shown)
		if err != nil {
			return err
		}
		ids := append([]int64{id}, page...)
		ends := slices.Clone(ids)
		for _, other := range known {
			ends = append(ends, other)
		}
		o.Nodes, o.Relations, err = among(ctx, r, ids, ends)
		return err
	})
	return o, err
}

// among returns nodes, and the relations that touch them and of which both ends
// are in ends.
func among(ctx context.Context, r Reader, ids, ends []int64) ([]Node, []Relation, error) {
	list, err := nodes(ctx, r, ids)
	if err != nil {
		return nil, nil, err
	}
	edges, err := r.EdgesTouching(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	in := make(map[int64]bool, len(ends))
	for _, id := range ends {
		in[id] = true
	}
	edges = slices.DeleteFunc(edges, func(e Edge) bool { return !in[e.FromID] || !in[e.ToID] })
	return list, relationsOf(edges), nil
}

func nodes(ctx context.Context, r Reader, ids []int64) ([]Node, error) {
	heads, err := r.EntityHeads(ctx, ids)
	if err != nil {
		return nil, err
	}
	usages, err := r.Usages(ctx, ids)
	if err != nil {
		return nil, err
	}
	use := make(map[int64]Usage, len(usages))
	for _, u := range usages {
		use[u.EntityID] = u
	}
	list := make([]Node, len(heads))
	for i, e := range heads {
		list[i] = Node{Name: e.Name, Type: e.Type, Accesses: use[e.ID].Accesses, Degree: use[e.ID].Degree}
	}
	return list, nil
}

// byUse orders entities by accesses, then by relations, the most first.
func byUse(ctx context.Context, r Reader, ids []int64) ([]int64, error) {
	usages, err := r.Usages(ctx, ids)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(usages, func(a, b Usage) int {
		if a.Accesses != b.Accesses {
			return b.Accesses - a.Accesses
		}
		return b.Degree - a.Degree
	})
	ordered := make([]int64, len(usages))
	for i, u := range usages {
		ordered[i] = u.EntityID
	}
	return ordered, nil
}

// idOf returns the id of the entity that a name means.
func idOf(ctx context.Context, r Reader, name string) (int64, error) {
	known, err := resolve(ctx, r, []string{name})
	if err != nil {
		return 0, err
	}
	id, ok := known.id(name)
	if !ok {
		return 0, &NotFoundError{Name: name}
	}
	return id, nil
}
