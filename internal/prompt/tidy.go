package prompt

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"mcp-memory/internal/memory"
)

// longest is the length in bytes up to which tidy shows an entity itself.
const longest = 40_000

func tidy(f finder) Prompt {
	entity := Argument{Name: "entity", Description: "Name of the entity", Required: true, IsEntity: true}
	return Prompt{
		Name:        "tidy",
		Title:       "Tidy up",
		Description: "Has the agent look for what is outdated, double or contradictory in an entity, and for others that mean the same",
		Arguments:   []Argument{entity},
		write: func(ctx context.Context, args map[string]string) (string, error) {
			var opened struct {
				Entities  []found           `json:"entities"`
				Relations []json.RawMessage `json:"relations"`
			}
			if err := f.call(ctx, "open_nodes", map[string]any{"names": []string{args["entity"]}}, &opened); err != nil {
				return "", err
			}
			if len(opened.Entities) == 0 {
				return "", invalid(entity, "must be the name of an entity: no entity is named %q", args["entity"])
			}
			e := opened.Entities[0]
			whole, err := f.shown(e, opened.Relations)
			if err != nil {
				return "", err
			}
			others, err := f.others(ctx, e)
			if err != nil {
				return "", err
			}
			return strings.Join([]string{
				"Tidy up this entity of the long-term memory:", whole,
				others,
				`- Look for observations that say the same twice, contradict each other, or no longer hold, and for those that are about something else.
- Open the others that may mean the same (open_nodes). Two that do become one: move observations and relations to the better name, then delete the other.
- Show me first what you would delete or change, and wait for my consent: what is deleted cannot be brought back. Then use delete_observations, add_observations, create_relations and delete_entities.
- If everything is in order, say so and change nothing.`,
				isData("entity", "others"),
			}, "\n\n"), nil
		},
	}
}

// shown shows an entity with its relations, or where that would be too long says how
// to read it.
func (f finder) shown(e found, relations []json.RawMessage) (string, error) {
	type whole struct {
		found
		Relations []json.RawMessage `json:"relations,omitempty"`
		Note      string            `json:"note,omitempty"`
	}
	text, err := data("entity", whole{found: e, Relations: relations})
	if err != nil || len(text) <= longest {
		return text, err
	}
	return data("entity", whole{found: heads([]found{e})[0], Note: "too long to be shown here: read it with open_nodes"})
}

// others says which entities there are that are alike in name or meaning.
func (f finder) others(ctx context.Context, e found) (string, error) {
	near, err := f.find(ctx, e.Name, mayBeMeant+1)
	if err != nil {
		return "", err
	}
	near = slices.DeleteFunc(heads(near), func(other found) bool {
		return memory.CanonicalName(other.Name) == memory.CanonicalName(e.Name)
	})
	if len(near) == 0 {
		return "No other entity is near to it.", nil
	}
	list, err := data("others", near)
	return "Entities near to it, of which some may mean the same:\n\n" + list, err
}
