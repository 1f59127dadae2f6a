package evaluation

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Options say what to make of the files of a set.
type Options struct {
	Group         bool   // BEIR: texts of one title are one entity with several observations
	QueriesFrom   string // folder or file with the wording of the same questions, by id; "" for the set's own
	SampleQueries int    // about how many questions to ask, evenly spread; all for 0
}

// Load reads a set from disk: a folder in BEIR layout (corpus.jsonl,
// queries.jsonl, qrels/test.tsv), a folder of notes (memory.jsonl,
// questions.jsonl), or a file with notes and questions together.
func Load(path string, o Options) (Set, error) {
	set, err := loadOwn(path, o)
	if err != nil {
		return Set{}, err
	}
	if o.QueriesFrom != "" {
		if set.Questions, err = reworded(set.Questions, o.QueriesFrom); err != nil {
			return Set{}, err
		}
	}
	if len(set.Questions) == 0 {
		return Set{}, fmt.Errorf("%s: there is no question to ask", cmp.Or(o.QueriesFrom, path))
	}
	set.Questions = every(set.Questions, o.SampleQueries)
	return set, nil
}

// loadOwn reads a set with its own questions.
func loadOwn(path string, o Options) (Set, error) {
	dir, name, err := place(path)
	switch {
	case err != nil:
		return Set{}, err
	case o.Group && !has(dir, corpusFile):
		return Set{}, fmt.Errorf("%s is not in BEIR layout (%s): there are no titles to group by", path, corpusFile)
	case name != "":
		return loadNotes(dir, path, name)
	case has(dir, corpusFile):
		return loadBEIR(dir, path, o.Group)
	case has(dir, notesFile):
		return loadNotes(dir, path, notesFile, questionsFile)
	}
	return Set{}, fmt.Errorf("%s holds neither %s (BEIR layout) nor %s (notes)", path, corpusFile, notesFile)
}

// reworded returns the questions that the set at path has as well, in its
// wording.
func reworded(questions []Question, path string) ([]Question, error) {
	dir, name, err := place(path)
	if err != nil {
		return nil, err
	}
	var others []Question
	switch {
	case name != "":
		others, err = readQuestions(dir, path, name)
	case has(dir, queriesFile):
		others, err = readQueries(dir, path)
	case has(dir, questionsFile):
		others, err = readQuestions(dir, path, questionsFile)
	default:
		err = fmt.Errorf("%s holds neither %s nor %s", path, queriesFile, questionsFile)
	}
	if err != nil {
		return nil, err
	}
	byID := make(map[string]Question, len(others))
	for _, q := range others {
		byID[q.ID] = q
	}
	var kept []Question
	for _, q := range questions {
		if other, ok := byID[q.ID]; ok {
			q.Text, q.Language = other.Text, other.Language
			kept = append(kept, q)
		}
	}
	return kept, nil
}

// place splits a path into a folder and the name of the file in it, which is
// empty for a folder.
func place(path string) (dir fs.FS, name string, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", fmt.Errorf("there is no %s", path)
	case err != nil:
		return nil, "", fmt.Errorf("looking for a set: %w", err)
	case info.IsDir():
		return os.DirFS(path), "", nil
	}
	return os.DirFS(filepath.Dir(path)), filepath.Base(path), nil
}

func has(dir fs.FS, name string) bool {
	info, err := fs.Stat(dir, name)
	return err == nil && !info.IsDir()
}

//go:embed testdata/notes/*.jsonl
var notes embed.FS

// Notes is the project's own set, a small memory in several languages, with
// about so many of its questions; all for 0.
func Notes(sampleQueries int) (Set, error) {
	dir, err := fs.Sub(notes, "testdata/notes")
	if err != nil {
		return Set{}, err
	}
	set, err := loadNotes(dir, "notes", notesFile, questionsFile)
	set.Questions = every(set.Questions, sampleQueries)
	return set, err
}
