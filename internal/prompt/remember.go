package prompt

import (
	"context"
	"strings"
)

// mayBeMeant is how many entities a prompt names that something may belong to.
const mayBeMeant = 10

const whatToStore = `Store what will still matter in later conversations, in the memory's tools:
- Search first (search_nodes, search_semantic). What is known already gets add_observations; only new things get create_entities.
- A name says what the thing is, the way I call it: "Project Faro", not "the project". One thing has one entity; a type is one word, such as person, project, decision, preference.
- An observation is one short fact that is understood by itself, with a date if it can change. Write in the language we speak.
- Connect entities with create_relations, in the active voice: Ana "leads" Project Faro.
- What has become wrong: delete_observations, then add_observations.
- Do not store: secrets (passwords, keys, tokens), what is easily looked up in files or on the web, what only this conversation needs, guesses, or what I asked not to keep.
Then tell me in a line or two what you have stored, or that nothing was worth it.`

func remember(f finder) Prompt {
	return Prompt{
		Name:        "remember",
		Title:       "Remember",
		Description: "After a task: has the agent store what is worth keeping, and says how",
		Arguments:   []Argument{{Name: "summary", Description: "What has happened, if it is not in the conversation"}},
		write: func(ctx context.Context, args map[string]string) (string, error) {
			summary, given := args["summary"]
			if !given {
				return "Look back at our conversation. " + whatToStore, nil
			}
			entities, err := f.find(ctx, summary, mayBeMeant)
			if err != nil {
				return "", err
			}
			about, err := data("summary", summary)
			if err != nil {
				return "", err
			}
			parts := []string{"This has happened:", about, whatToStore}
			if len(entities) == 0 {
				return strings.Join(append(parts, "The memory holds nothing yet that this seems to belong to.", isData("summary")), "\n\n"), nil
			}
			known, err := data("memory", heads(entities))
			if err != nil {
				return "", err
			}
			parts = append(parts, "Entities that exist already and may be meant:", known, isData("summary", "memory"))
			return strings.Join(parts, "\n\n"), nil
		},
	}
}
