package evaluation

import (
	"io/fs"
	"slices"
	"strings"

	"mcp-memory/internal/memory"
)

// The files of a set of notes.
const (
	notesFile     = "memory.jsonl"
	questionsFile = "questions.jsonl"
)

// note is a record of any kind: an entity or relation, as the official MCP
// memory server writes them, or a question.
type note struct {
	Type string `json:"type"` // may be absent from a question

	Name         string   `json:"name"`
	EntityType   *string  `json:"entityType"`
	Observations []string `json:"observations"`

	From         string `json:"from"`
	To           string `json:"to"`
	RelationType string `json:"relationType"`

	ID       string    `json:"id"`
	Language string    `json:"language"`
	Kind     string    `json:"kind"`
	Question string    `json:"question"`
	Answers  *[]string `json:"answers"` // empty: there is none
}

// notebook gathers records, and what they name to be looked up at the end.
type notebook struct {
	set       Set
	entities  map[string]bool
	questions map[string]bool
	named     []reference
}

type reference struct {
	at   position
	name string
}

// loadNotes reads a set from files of notes, each with records of any kind.
func loadNotes(dir fs.FS, path string, names ...string) (Set, error) {
	b, err := readNotes(dir, path, names...)
	if err != nil {
		return Set{}, err
	}
	for _, r := range b.named {
		if !b.entities[r.name] {
			return Set{}, r.at.wrong("there is no entity %q", r.name)
		}
	}
	return b.set, nil
}

// readQuestions reads questions alone: their answers may be elsewhere.
func readQuestions(dir fs.FS, path, name string) ([]Question, error) {
	b, err := readNotes(dir, path, name)
	return b.set.Questions, err
}

func readNotes(dir fs.FS, path string, names ...string) (*notebook, error) {
	b := &notebook{entities: map[string]bool{}, questions: map[string]bool{}}
	for _, name := range names {
		if err := eachRecord(dir, path, name, b.add); err != nil {
			return b, err
		}
	}
	return b, nil
}

func (b *notebook) add(at position, n note) error {
	switch {
	case n.Type == "entity":
		return b.addEntity(at, n)
	case n.Type == "relation":
		return b.addRelation(at, n)
	case n.Type == "question", n.Type == "" && n.Question != "":
		return b.addQuestion(at, n)
	}
	return at.wrong("type %q is not one of entity, relation, question", n.Type)
}

func (b *notebook) addEntity(at position, n note) error {
	name := memory.CanonicalName(n.Name)
	switch {
	case memory.IsBlankName(name):
		return at.wrong("name is missing or blank")
	case b.entities[name]:
		return at.wrong("there was an entity %q before", name)
	}
	b.entities[name] = true
	b.set.Entities = append(b.set.Entities, memory.NewEntity{Name: name, Type: n.EntityType, Observations: n.Observations})
	return nil
}

func (b *notebook) addRelation(at position, n note) error {
	r := memory.Relation{From: b.refer(at, n.From), To: b.refer(at, n.To), Type: n.RelationType}
	if strings.TrimSpace(r.Type) == "" {
		return at.wrong("relationType is missing or blank")
	}
	if slices.Contains(b.set.Relations, r) {
		return at.wrong("this relation was there before")
	}
	b.set.Relations = append(b.set.Relations, r)
	return nil
}

func (b *notebook) addQuestion(at position, n note) error {
	switch {
	case n.ID == "":
		return at.wrong("id is missing or empty")
	case b.questions[n.ID]:
		return at.wrong("id %q was used before", n.ID)
	case strings.TrimSpace(n.Question) == "":
		return at.wrong("question is missing or blank")
	case n.Answers == nil:
		return at.wrong("answers is missing: [] says that there are none")
	}
	b.questions[n.ID] = true
	q := Question{ID: n.ID, Language: n.Language, Kind: n.Kind, Text: n.Question}
	for _, name := range *n.Answers {
		name = b.refer(at, name)
		if slices.Contains(q.Answers, name) {
			return at.wrong("answer %q is there twice", name)
		}
		q.Answers = append(q.Answers, name)
	}
	b.set.Questions = append(b.set.Questions, q)
	return nil
}

// refer notes that an entity must exist, and returns its name as stored.
func (b *notebook) refer(at position, name string) string {
	name = memory.CanonicalName(name)
	b.named = append(b.named, reference{at, name})
	return name
}
