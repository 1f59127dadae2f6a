package prompt

import (
	"context"
	"errors"

	"mcp-memory/internal/memory"
)

// finder finds what the memory holds for a text.
type finder struct{ calls }

func newFinder(s *memory.Service) finder { return finder{callsOf(s)} }

// found is an entity as prompts show it.
type found struct {
	Name                string   `json:"name"`
	EntityType          string   `json:"entityType"`
	Observations        []string `json:"observations,omitempty"`
	ObservationsOmitted int      `json:"observationsOmitted,omitempty"`
	Weak                bool     `json:"weak,omitempty"`
}

// find searches by meaning, or by words where there is no model. Those that may
// have nothing to do with the text are left out if there are others.
func (f finder) find(ctx context.Context, text string, limit int) ([]found, error) {
	args := map[string]any{"query": text, "limit": limit}
	var byMeaning struct{ Results []found }
	err := f.call(ctx, "search_semantic", args, &byMeaning)
	if errors.Is(err, memory.ErrNoModel) {
		var byWords struct{ Entities []found }
		err = f.call(ctx, "search_nodes", args, &byWords)
		return byWords.Entities, err
	}
	if err != nil {
		return nil, err
	}
	var strong []found
	for _, e := range byMeaning.Results {
		if !e.Weak {
			strong = append(strong, e)
		}
	}
	if len(strong) == 0 {
		return byMeaning.Results, nil
	}
	return strong, nil
}

// heads leaves out what is known of entities but their names and types.
func heads(entities []found) []found {
	list := make([]found, 0, len(entities))
	for _, e := range entities {
		list = append(list, found{Name: e.Name, EntityType: e.EntityType})
	}
	return list
}
