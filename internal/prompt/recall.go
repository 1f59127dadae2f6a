package prompt

import (
	"context"
	"strings"
)

// recalled is how many entities recall shows at most.
const recalled = 10

func recall(f finder) Prompt {
	return Prompt{
		Name:        "recall",
		Title:       "Recall",
		Description: "Before a task: tells the agent what the memory holds for it, and how to look further",
		Arguments:   []Argument{{Name: "task", Description: "What is to be done, or the topic, in any language", Required: true}},
		write: func(ctx context.Context, args map[string]string) (string, error) {
			entities, err := f.find(ctx, args["task"], recalled)
			if err != nil {
				return "", err
			}
			task, err := data("task", args["task"])
			if err != nil {
				return "", err
			}
			if len(entities) == 0 {
				return strings.Join([]string{
					"I am about to begin this:", task,
					"The memory was searched for it and holds nothing. If you find out something lasting, store it at the end; the prompt `remember` says how.",
				}, "\n\n"), nil
			}
			known, err := data("memory", entities)
			if err != nil {
				return "", err
			}
			return strings.Join([]string{
				"I am about to begin this:", task,
				"This is what the long-term memory holds for it, the best first:", known,
				`Before you begin, say in a sentence or two what of it matters here, and rely on that. An entity marked "weak" may have nothing to do with the task; ` +
					`where "observationsOmitted" counts some, or to follow relations, call open_nodes with the name. If something is missing, search once more with other words. ` +
					"Where the memory and what you see now disagree, trust what you see, and correct the memory.",
				isData("memory"),
			}, "\n\n"), nil
		},
	}
}
