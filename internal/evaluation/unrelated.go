package evaluation

import "embed"

const unrelatedFile = "unrelated.jsonl"

//go:embed testdata/unrelated.jsonl
var unrelated embed.FS

// The kinds of unrelated questions.
const (
	OffTopic = "off-topic" // about something else than any of the sets
	Nonsense = "nonsense"  // about nothing
)

// Unrelated returns questions, in several languages, that no memory answers.
func Unrelated() ([]Question, error) {
	return readQuestions(unrelated, "testdata", "testdata/"+unrelatedFile)
}
