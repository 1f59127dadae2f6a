package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/internal/rank"
)

// TestWorkedExample computes the score of the example of search_semantic by the
// formulas of docs/search.md, which shows how, and by the product's own.
func TestWorkedExample(t *testing.T) {
	type result struct {
		Relevance   float64
		LimbicScore float64 `json:"limbic_score"`
		Scoring     struct {
			Importance float64
			Temporal   float64 `json:"temporal_factor"`
			Cooc       float64 `json:"cooc_boost"`
		}
		Explain struct {
			Meaning, Evidence, Gap float64
			EntityWords            float64 `json:"entity_words"`
			PassageWords           float64 `json:"passage_words"`
			UseFactor              float64 `json:"use_factor"`
		}
	}
	e, err := readExamples()
	if err != nil {
		t.Fatal(err)
	}
	var reply struct{ Results []result }
	if err := json.Unmarshal(e.of("search_semantic")[0].Reply, &reply); err != nil || len(reply.Results) < 2 {
		t.Fatalf("%d results: %v", len(reply.Results), err)
	}
	first, second := reply.Results[0], reply.Results[1]
	x, use := first.Explain, first.Scoring

	entity, passage := math.Pow(x.EntityWords, 1.2), math.Pow(x.PassageWords, 1.2)
	evidence := rounded(x.Meaning+entity+passage, 4)
	other := max(second.Explain.Evidence, 0.2) // there are fewer than ten candidates
	gap := evidence - other
	relevance := 1 / (1 + math.Exp(-(-4.59 + 2.24*evidence + 6.58*gap)))
	f := (1 + 0.5*use.Importance) * use.Temporal * (1 + 0.01*use.Cooc)
	factor := 1 + 0.05*(f*f-1)/(f*f+1)
	lines := []string{
		fmt.Sprintf("words     = %v^1.2 + %v^1.2 = %.4f + %.4f = %.4f", x.EntityWords, x.PassageWords, entity, passage, entity+passage),
		fmt.Sprintf("evidence  = %v + %.4f = %v", x.Meaning, entity+passage, evidence),
		fmt.Sprintf("gap       = %v − %v = %.4f", evidence, other, gap),
		fmt.Sprintf("relevance = 1 / (1 + e^−(−4.59 + 2.24 · %v + 6.58 · %.4f)) = %.3f", evidence, gap, relevance),
		fmt.Sprintf("f         = (1 + 0.5 · %v) · %v · (1 + 0.01 · %v) = %v", use.Importance, use.Temporal, use.Cooc, rounded(f, 4)),
		fmt.Sprintf("use       = 1 + 0.05 · (%v² − 1) / (%v² + 1) = %.4f", rounded(f, 4), rounded(f, 4), factor),
		fmt.Sprintf("score     = %v · %.4f = %.4f", evidence, factor, evidence*factor),
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "search.md"))
	if err != nil {
		t.Fatal(err)
	}
	if block := strings.Join(lines, "\n"); !strings.Contains(string(text), block) {
		t.Errorf("docs/search.md does not show\n%s", block)
	}

	s := rank.E5Small
	for what, c := range map[string]struct{ told, byHand, byProduct, exact float64 }{
		"evidence":  {x.Evidence, evidence, rank.Evidence(x.Meaning, s.Words(x.EntityWords, x.PassageWords)), 0.0005},
		"gap":       {x.Gap, gap, gap, 0.0005},
		"relevance": {first.Relevance, relevance, s.Relevance(evidence, gap), 0.002},
		"use":       {x.UseFactor, factor, s.UseFactor(use.Importance, use.Temporal, use.Cooc), 0.0002},
		"score":     {first.LimbicScore, evidence * factor, x.Evidence * x.UseFactor, 0.0005},
	} {
		if math.Abs(c.told-c.byHand) > c.exact || math.Abs(c.told-c.byProduct) > c.exact {
			t.Errorf("%s is told as %v, by hand it is %v, by the product %v", what, c.told, c.byHand, c.byProduct)
		}
	}
}

// rounded rounds to that many places.
func rounded(x float64, places int) float64 {
	scale := math.Pow10(places)
	return math.Round(x*scale) / scale
}
