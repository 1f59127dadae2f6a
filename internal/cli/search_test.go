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
