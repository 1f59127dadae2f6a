package evaluation

import "mcp-memory/internal/memory"

// Set is a memory and what is asked of it.
type Set struct {
	Entities  []memory.NewEntity
	Relations []memory.Relation
	Questions []Question
}

// Question is one search with the names of all entities that answer it; there
// are none for a question that the memory cannot answer.
type Question struct {
	ID       string
	Language string // code of the question's language, if known
	Kind     string // what makes it hard, if the set says so
	Text     string
	Answers  []string
}

// every returns about n items of a list, evenly spread, but all of it for n of
// 0 or less: each k-th from the first on, k being len/n rounded down.
func every[T any](list []T, n int) []T {
	if n <= 0 || n >= len(list) {
		return list
	}
	var some []T
	for i := 0; i < len(list); i += len(list) / n {
		some = append(some, list[i])
	}
	return some
}
