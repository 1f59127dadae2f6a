package memory_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is asked stands before or after what is pasted.
func TestLongQueriesAreReadFromBothEnds(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Studio", "place", "the kiln fires clay at 1260 degrees")
	b.create(t, "Orchard", "place", "apple trees in rows")
	pasted := strings.Repeat("Yesterday we walked along that river. ", 72)
	const question = "What temperature does the kiln fire clay?"
	for _, query := range []string{pasted + question, question + " " + pasted} {
		page, err := b.SearchNodes(t.Context(), query, 50, 0)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"Studio"}, entityNames(page.Entities)); diff != "" {
			t.Errorf("search_nodes of %d characters (-want +got):\n%s", len(query), diff)
		}
		if got := hitNames(b.semantic(t, query, 1)); got[0] != "Studio" {
			t.Errorf("search_semantic of %d characters: %q, want Studio first", len(query), got)
		}
	}
}

// A model takes 512 tokens and would leave out the end of more.
func TestVectorOfAQueryIsOfBothEnds(t *testing.T) {
	b := newBundle(t)
	b.create(t, "Studio", "place", "the kiln fires clay")
	for _, n := range []int{100, 900} { // words, which this embedder takes for tokens
		query := "first " + strings.Repeat("x ", n) + "last"
		b.semantic(t, query, 1)
		asked := b.embedder.query
		words := strings.Fields(asked)
		if n < 480 && asked != query || len(words) > 490 || words[0] != "first" || words[len(words)-1] != "last" {
			t.Errorf("of %d words, embedded are %d: %.20s ... %s", n+2, len(words), asked, words[len(words)-1])
		}
	}
}
