package rank

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Settings are the constants of a ranking. Those of meaning and relevance
// belong to one embedding model.
type Settings struct {
	// Floor is the likeness of texts that have nothing to do with each other,
	// Floor + Span that of a question and a good answer.
	Floor, Span float64
	// EntityWords and PassageWords are the weights of a full match of words, in
	// a whole entity and in a passage, against a full match in meaning.
	EntityWords, PassageWords float64
	// WordsPower is what a share of the words is raised to.
	WordsPower float64
	// AllWords is how far a passage that holds all words of a look-up, which is no
	// question, is moved towards a full match.
	AllWords float64
	// Use is the most that use moves a score, as a part of it.
	Use float64
	// Base, ByEvidence and ByGap make relevance of evidence (see Relevance).
	Base, ByEvidence, ByGap float64
	// Noise is the evidence of the best of some that have nothing to do with a query.
	Noise float64
	// Weak is the relevance below which a result may well have nothing to do
	// with the query, unless it has as much evidence as Sure: of several that are
	// right, only one can be ahead.
	Weak, Sure float64
}

// E5Small belongs to multilingual-e5-small. docs/search.md says what the
// constants were measured on.
var E5Small = Settings{
	Floor: 0.1, Span: 0.4,
	EntityWords: 1, PassageWords: 1, WordsPower: 1.2, AllWords: 0.8,
	Use:  0.05,
	Base: -4.59, ByEvidence: 2.24, ByGap: 6.58,
	Noise: 0.2, Weak: 0.037, Sure: 0.8,
}

// field is one setting by name.
type field struct {
	name     string
	value    func(*Settings) *float64
	min, max float64
}

var fields = []field{
	{"floor", func(s *Settings) *float64 { return &s.Floor }, -1, 1},
	{"span", func(s *Settings) *float64 { return &s.Span }, 0.001, 2},
	{"entity-words", func(s *Settings) *float64 { return &s.EntityWords }, 0, 100},
	{"passage-words", func(s *Settings) *float64 { return &s.PassageWords }, 0, 100},
	{"words-power", func(s *Settings) *float64 { return &s.WordsPower }, 0.01, 10},
	{"all-words", func(s *Settings) *float64 { return &s.AllWords }, 0, 1},
	{"use", func(s *Settings) *float64 { return &s.Use }, 0, 1},
	{"base", func(s *Settings) *float64 { return &s.Base }, -100, 100},
	{"by-evidence", func(s *Settings) *float64 { return &s.ByEvidence }, 0, 1000},
	{"by-gap", func(s *Settings) *float64 { return &s.ByGap }, 0, 1000},
	{"noise", func(s *Settings) *float64 { return &s.Noise }, 0, 10},
	{"weak", func(s *Settings) *float64 { return &s.Weak }, 0, 1},
	{"sure", func(s *Settings) *float64 { return &s.Sure }, 0, 10},
}

// SettingNames lists the names that ParseSetting knows.
func SettingNames() []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

// ParseSetting returns base with one setting changed, written NAME=VALUE.
func ParseSetting(base Settings, text string) (Settings, error) {
	name, value, _ := strings.Cut(text, "=")
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == strings.TrimSpace(name) })
	if i < 0 {
		return base, fmt.Errorf("setting %q: the names are %s", text, strings.Join(SettingNames(), ", "))
	}
	f := fields[i]
	number, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !(number >= f.min && number <= f.max) {
		return base, fmt.Errorf("setting %q: must be a number from %v to %v", text, f.min, f.max)
	}
	*f.value(&base) = number
	return base, nil
}
