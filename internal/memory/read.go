package memory

import "context"

// OpenNodes returns the entities of these names, each once and in the order
// asked, and every relation that touches them. Unknown names are left out.
func (s *Service) OpenNodes(ctx context.Context, names []string) (Graph, error) {
	s.rewarm()
	graph, ids := Graph{Entities: []Entity{}, Relations: []Relation{}}, []int64(nil)
	err := s.store.View(ctx, func(r Reader) error {
		known, err := resolve(ctx, r, names)
		if err != nil {
			return err
		}
		seen := map[int64]bool{}
		for _, name := range names {
			if id, ok := known.id(name); ok && !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
		graph, err = graphOf(ctx, r, ids)
		return err
	})
	if err != nil {
		return Graph{}, err
	}
	s.usage.record(ctx, ids)
	return graph, nil
}

// ReadGraph returns a page of all entities by id, and the relations from or to
// these of which the other end is on this page or an earlier one: all pages
// together have each relation once.
func (s *Service) ReadGraph(ctx context.Context, limit, offset int) (GraphPage, error) {
	s.rewarm()
	var page GraphPage
	err := s.store.View(ctx, func(r Reader) error {
		ids, total, err := r.EntityPage(ctx, limit, offset)
		if err != nil {
			return err
		}
		page.Total = total
		if page.TotalRelations, err = r.CountEdges(ctx); err != nil {
			return err
		}
		if page.Entities, err = r.Entities(ctx, ids); err != nil {
			return err
		}
		edges, err := r.EdgesUpTo(ctx, ids)
		page.Relations = relationsOf(edges)
		return err
	})
	return page, err
}

// graphOf returns these entities with the relations that touch them.
func graphOf(ctx context.Context, r Reader, ids []int64) (Graph, error) {
	entities, err := r.Entities(ctx, ids)
	if err != nil {
		return Graph{}, err
	}
	edges, err := r.EdgesTouching(ctx, ids)
	if err != nil {
		return Graph{}, err
	}
	return Graph{Entities: entities, Relations: relationsOf(edges)}, nil
}

func relationsOf(edges []Edge) []Relation {
	relations := make([]Relation, len(edges))
	for i, e := range edges {
		relations[i] = e.Relation
	}
	return relations
}
