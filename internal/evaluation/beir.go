package evaluation

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"mcp-memory/internal/memory"
)

// The files of a set in the layout of BEIR (Thakur et al. 2021, "BEIR: A
// Heterogeneous Benchmark for Zero-shot Evaluation of Information Retrieval
// Models").
const (
	corpusFile  = "corpus.jsonl"
	queriesFile = "queries.jsonl"
	qrelsFile   = "qrels/test.tsv"
)

// articleType is the type of the entities made of texts.
const articleType = "Article"

// loadBEIR reads a set in which every text is an entity named "TITLE #i", i
// being its place in the corpus from 0 on; or, grouped, every title is one.
// Queries without a relevant text are left out.
func loadBEIR(dir fs.FS, path string, group bool) (Set, error) {
	c := corpus{group: group, nameOf: map[string]string{}, index: map[string]int{}}
	if err := eachRecord(dir, path, corpusFile, c.add); err != nil {
		return Set{}, err
	}
	answers, err := readQrels(dir, path, c.nameOf)
	if err != nil {
		return Set{}, err
	}
	questions, err := readQueries(dir, path)
	if err != nil {
		return Set{}, err
	}
	for i := range questions {
		questions[i].Answers = answers[questions[i].ID]
	}
	questions = slices.DeleteFunc(questions, func(q Question) bool { return len(q.Answers) == 0 })
	return Set{Entities: c.entities, Questions: questions}, nil
}

// text is a record of the corpus, and of the queries.
type text struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// corpus makes entities of texts.
type corpus struct {
	group    bool
	entities []memory.NewEntity
	nameOf   map[string]string // by the text's id
	index    map[string]int    // of an entity, by its name
}

func (c *corpus) add(at position, t text) error {
	_, known := c.nameOf[t.ID]
	switch {
	case t.ID == "":
		return at.wrong("_id is missing or empty")
	case known:
		return at.wrong("_id %q was used before", t.ID)
	}
	name := t.Title
	if !c.group {
		name += " #" + strconv.Itoa(len(c.entities))
	}
	name = memory.CanonicalName(name)
	if name == "" {
		return at.wrong("a text without a title cannot be grouped")
	}
	c.nameOf[t.ID] = name
	i, begun := c.index[name]
	if !begun {
		i = len(c.entities)
		c.index[name] = i
		entityType := articleType
		c.entities = append(c.entities, memory.NewEntity{Name: name, Type: &entityType})
	}
	if strings.TrimSpace(t.Text) != "" { // some sets have texts of a title alone
		c.entities[i].Observations = append(c.entities[i].Observations, t.Text)
	}
	return nil
}

// readQueries reads the questions of a BEIR folder, without answers.
func readQueries(dir fs.FS, path string) ([]Question, error) {
	var questions []Question
	seen := map[string]bool{}
	err := eachRecord(dir, path, queriesFile, func(at position, t text) error {
		switch {
		case t.ID == "":
			return at.wrong("_id is missing or empty")
		case seen[t.ID]:
			return at.wrong("_id %q was used before", t.ID)
		case strings.TrimSpace(t.Text) == "":
			return at.wrong("text is missing or blank")
		}
		seen[t.ID] = true
		questions = append(questions, Question{ID: t.ID, Text: t.Text})
		return nil
	})
	return questions, err
}

// readQrels reads which entities answer which queries. Relevance is graded in
// these files; here, whatever is above 0 is right.
func readQrels(dir fs.FS, path string, nameOf map[string]string) (map[string][]string, error) {
	answers := map[string][]string{}
	err := eachLine(dir, path, qrelsFile, func(at position, line []byte) error {
		fields := strings.Split(strings.TrimRight(string(line), "\r\n"), "\t")
		if len(fields) != 3 {
			return at.wrong("not a query, a text and a score separated by tabs")
		}
		query, document := fields[0], fields[1]
		score, err := strconv.Atoi(strings.TrimSpace(fields[2]))
		if err != nil {
			if at.line == 1 { // the heading
				return nil
			}
			return at.wrong("the score %q is not a whole number", fields[2])
		}
		name, known := nameOf[document]
		if !known {
			return at.wrong("%s has no text %q", shown(path, corpusFile), document)
		}
		if score > 0 && !slices.Contains(answers[query], name) {
			answers[query] = append(answers[query], name)
		}
		return nil
	})
	if err == nil && len(answers) == 0 {
		err = fmt.Errorf("%s names no relevant text", shown(path, qrelsFile))
	}
	return answers, err
}
