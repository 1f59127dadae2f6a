package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// What is printed adds up, or says why it does not.
func TestExplanationAddsUp(t *testing.T) {
	for name, c := range map[string]struct{ explain, want string }{
		"words count less than their share": {
			`{"meaning": 0.5839, "entity_words": 0.0945, "passage_words": 0.0889, "evidence": 0.6977}`,
			"evidence 0.70 = meaning 0.58 + words 0.11 (of the whole 0.09, of its best part 0.09)\n",
		},
		"unlike and without words": {
			`{"meaning": -0.2824, "entity_words": 0, "passage_words": 0, "evidence": 0.0022}`,
			"evidence 0.00 = meaning -0.28 + words 0.00 (of the whole 0.00, of its best part 0.00), flattened as less than 0.1\n",
		},
		"ahead": {
			`{"evidence": 0.605, "gap": 0.405}, "relevance": 0.361`,
			"relevance 0.361 = 1 / (1 + e^-(-4.59 + 2.24 × 0.605 + 6.58 × 0.405)): evidence 0.605, 0.405 ahead of 0.2, the least that the best other counts as\n",
		},
		"ahead of much": {
			`{"evidence": 0.605, "gap": 0.1}, "relevance": 0.071`,
			"+ 6.58 × 0.100)): evidence 0.605, 0.100 ahead of the best other\n",
		},
		"behind": {
			`{"evidence": 0.1924, "gap": -0.4126}, "relevance": 0.001`,
			"relevance 0.001 = 1 / (1 + e^-(-4.59 + 2.24 × 0.192 + 6.58 × -0.413)): evidence 0.192, 0.413 behind the best\n",
		},
		"far ahead": {
			`{"evidence": 1.9, "gap": 1.7}, "relevance": 0.95`,
			"+ 6.58 × 0.500)): evidence 1.900, 1.700 ahead of 0.2, the least that the best other counts as; 0.5 of that counts\n",
		},
		"its name": {
			`{"evidence": 1.9, "gap": 1.7, "exact_name": true}, "relevance": 1`,
			"used together 0.0)\n        the query is its name: it comes first, and is relevant for sure\n",
		},
	} {
		var h hit
		if err := json.Unmarshal([]byte(`{"explain": `+c.explain+`}`), &h); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		h.writeExplanation(&b, style{})
		if !strings.Contains(b.String(), c.want) {
			t.Errorf("%s: %q is not in\n%s", name, c.want, &b)
		}
	}
}
