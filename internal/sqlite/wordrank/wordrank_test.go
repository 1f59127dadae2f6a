package wordrank_test

import (
	"database/sql"
	"maps"
	"math"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"mcp-memory/internal/sqlite/wordrank"
)

func open(t *testing.T, rows ...string) *sql.DB {
	t.Helper()
	wordrank.Register()
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), `CREATE VIRTUAL TABLE t USING fts5(a, content='', tokenize='ascii')`); err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		if _, err := db.ExecContext(t.Context(), `INSERT INTO t (rowid, a) VALUES (?, ?)`, i+1, row); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

func scores(t *testing.T, db *sql.DB, function, expression string, weights any) map[int]float64 {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT rowid, `+function+` FROM t WHERE t MATCH ?`, weights, expression)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	got := map[int]float64{}
	for rows.Next() {
		var (
			id    int
			score float64
		)
		if err := rows.Scan(&id, &score); err != nil {
			t.Fatal(err)
		}
		got[id] = score
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return got
}

var texts = []string{"far sea", "faro sea sea night", "boat", "boat night night long long text", "stone", "sand", "wind", "rain"}

func idf(n float64) float64 { return math.Log((8 - n + 0.5) / (n + 0.5)) }

// With a word for each phrase and the weights of bm25(), it is bm25().
func TestEqualsBM25WithoutSynonyms(t *testing.T) {
	db := open(t, texts...)
	weights := wordrank.Weights{}.Add(0, idf(2)).Add(1, idf(2)).Add(2, idf(2))
	got := scores(t, db, "bm25_words(t, ?)", "sea OR boat OR night", []byte(weights))
	want := scores(t, db, "-bm25(t) + 0 * length(?)", "sea OR boat OR night", "")
	if len(got) != 4 || len(want) != 4 {
		t.Fatalf("%d and %d rows, want 4", len(got), len(want))
	}
	for id := range want {
		if math.Abs(got[id]-want[id]) > 1e-12 {
			t.Errorf("row %d scores %v, want %v", id, got[id], want[id])
		}
	}
}

func TestSynonymsAreOneWord(t *testing.T) {
	db := open(t, texts...)
	weights := wordrank.Weights{}.Add(0, 2).Add(0, 2)
	parted := weights.Scores()
	of := func(expression string) map[int]float64 {
		got := scores(t, db, "bm25_words(t, ?)", expression, []byte(weights))
		for id, answer := range got {
			score, all := parted(answer)
			if !all {
				t.Errorf("row %d: %v says that the only word is not there", id, answer)
			}
			got[id] = score
		}
		return got
	}
	got := of("far OR faro")
	for id, length := range map[int]float64{1: 2, 2: 4} {
		average := 17.0 / 8
		want := 2 * 1 * 2.2 / (1 + 1.2*(0.25+0.75*length/average))
		if math.Abs(got[id]-want) > 1e-12 {
			t.Errorf("row %d scores %v, want %v: neither form is rarer than the other", id, got[id], want)
		}
	}
	// Both forms in one row are two uses of the word.
	if both := of("sea OR night"); !(both[2] > both[1]) || both[2] >= 2*2.2 {
		t.Errorf("scores %v, want more for three uses than for one, and no more than the bound", both)
	}
}

func TestWhatHoldsAllWordsIsTold(t *testing.T) {
	db := open(t, texts...)
	weights := wordrank.Weights{}.Add(0, idf(1)).Add(0, idf(1)).Add(1, idf(2)).Add(2, idf(2))
	plain := scores(t, db, "bm25_words(t, ?)", "(far OR faro) OR sea", []byte(weights[:3*16]))
	parted := weights.Scores()
	told := map[int]bool{}
	for id, answer := range scores(t, db, "bm25_words(t, ?)", "(far OR faro) OR sea OR night", []byte(weights)) {
		score, all := parted(answer)
		told[id] = all
		if without, _ := weights[:3*16].Scores()(plain[id]); score < without-1e-12 || score > 20 {
			t.Errorf("row %d scores %v, want %v at least: another word is there or is not", id, score, without)
		}
	}
	if want := map[int]bool{1: false, 2: true, 4: false}; !maps.Equal(told, want) {
		t.Errorf("all words in %v, want %v", told, want)
	}
}

func TestWrongWeights(t *testing.T) {
	db := open(t, texts...)
	for name, weights := range map[string]any{
		"too few": []byte(wordrank.Weights{}.Add(0, 1)), "none": nil, "text": strings.Repeat("x", 32),
		"word too high": []byte(wordrank.Weights{}.Add(0, 1).Add(wordrank.MaxWords, 1)),
		"no number":     []byte(wordrank.Weights{}.Add(0, 1).Add(-1, 1)),
	} {
		var n float64
		err := db.QueryRowContext(t.Context(), `SELECT bm25_words(t, ?) FROM t WHERE t MATCH 'sea OR boat'`, weights).Scan(&n)
		if err == nil || !strings.Contains(err.Error(), "bm25_words") {
			t.Errorf("%s: %v, want an error that names the function", name, err)
		}
	}
}
