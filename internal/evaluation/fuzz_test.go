package evaluation_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/internal/evaluation"
	"mcp-memory/internal/leak"
)

// FuzzLoad reads any files as a set: it has questions and whole entities, or is
// refused in words about the file.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"_id":"1","title":"A","text":"b"}`), []byte(`{"_id":"q","text":"b?"}`), []byte("q\td\ts\nq\t1\t1\n"), true)
	f.Add([]byte(`{"_id":1}`), []byte("\xef\xbb\xbf{}"), []byte("q\t1\n"), true)
	f.Add([]byte(`{"type":"entity","name":"A","observations":["b"]}`), []byte(`{"id":"q","question":"b?","answers":["A"]}`), []byte(nil), false)
	f.Add([]byte(`{"type":"relation","from":"A","to":"A"}`+"\n[]"), []byte(`{"answers":"A"}`), []byte(nil), false)
	f.Add([]byte(`{"type":"entity","name":{}}`), []byte(`{"id":"q","question":"b?","answers":[5]}`), []byte("\t\t\t"), false)
	f.Fuzz(func(t *testing.T, texts, questions, answers []byte, beir bool) {
		dir := t.TempDir()
		files := map[string][]byte{"memory.jsonl": texts, "questions.jsonl": questions}
		if beir {
			files = map[string][]byte{"corpus.jsonl": texts, "queries.jsonl": questions, "qrels/test.tsv": answers}
			if err := os.Mkdir(filepath.Join(dir, "qrels"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		for name, content := range files {
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, group := range []bool{false, true} {
			set, err := evaluation.Load(dir, evaluation.Options{Group: group, SampleQueries: 10})
			if err != nil {
				if word := leak.In(strings.ReplaceAll(err.Error(), dir, ""), string(texts), string(questions), string(answers)); word != "" {
					t.Fatalf("%q says %q", err, word)
				}
				continue
			}
			if len(set.Questions) == 0 {
				t.Fatal("a set without questions")
			}
			for _, e := range set.Entities {
				if strings.TrimSpace(e.Name) == "" {
					t.Fatalf("an entity without a name: %+v", e)
				}
			}
		}
	})
}
