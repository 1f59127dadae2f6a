package modeltest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// searchSemantic draws a search by meaning. What is nearest is not for this
// model to know: it holds the reply to entities as they are, each once; to as
// many as are asked for, if all have vectors; and to the entity of that very name
// first.
func (w *world) searchSemantic(t *rapid.T) step {
	query, limit := w.piece(t), rapid.IntRange(1, 20).Draw(t, "limit")
	if rapid.Bool().Draw(t, "by name") {
		query = w.known(t)
	}
	c := call{"search_semantic", arguments(t, map[string]any{"query": query, "limit": limit})}
	if !w.embedder.Ready() {
		return step{call: c, err: noModelAnswer}
	}
	return step{call: c, check: func(text string) error {
		var got struct {
			Results []shownEntity
			Omitted int `json:"resultsOmitted"`
			Pending int
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			return err
		}
		most := min(limit, len(w.graph.entities))
		if strings.TrimSpace(query) == "" {
			most = 0
		}
		switch n := len(got.Results); {
		case got.Omitted > 0:
			return errors.New("results are left out of a short list")
		case n > most || n < most && got.Pending == 0:
			return fmt.Errorf("%d results, want %d", n, most)
		}
		var used []*entity
		for _, e := range got.Results {
			whole := w.graph.find(e.Name)
			if whole == nil {
				return fmt.Errorf("there is no entity %q", e.Name)
			}
			if err := e.shortens(show(whole)); err != nil {
				return err
			}
			used = append(used, whole)
		}
		if len(distinct(used)) != len(used) {
			return fmt.Errorf("an entity is there twice: %s", shorten(text))
		}
		if e := w.graph.find(query); e != nil && used[0] != e {
			return fmt.Errorf("%q comes first, not %q", used[0].name, e.name)
		}
		w.graph.use(used)
		return nil
	}}
}

func noModelAnswer(text string) error {
	if !strings.HasPrefix(text, `{"error":"Embedding model not available. Run 'mcp-memory model download'`) {
		return fmt.Errorf("answered %s", text)
	}
	return nil
}
