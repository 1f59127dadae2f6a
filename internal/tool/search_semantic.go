package tool

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"mcp-memory/internal/memory"
)

type searchSemanticInput struct {
	Query      string `json:"query" jsonschema_description:"Question or description, in any language"`
	Limit      int    `json:"limit,omitempty" alias:"top_k,k,max_results,n_results" min:"1" max:"1000" jsonschema:"default=10" jsonschema_description:"How many results at most, 1 to 1000"`
	EntityType string `json:"entityType,omitempty" jsonschema_description:"Only entities of this type"`
	Since      string `json:"since,omitempty" jsonschema_description:"Only what changed at this date or time (ISO 8601, UTC) or later"`
	Until      string `json:"until,omitempty" jsonschema_description:"Only what has not changed after this date or time"`
	Explain    bool   `json:"explain,omitempty" jsonschema_description:"Show how each score came about"`
}

type searchSemanticOutput struct {
	Results    []semanticHit `json:"results" jsonschema_description:"Entities, the best first"`
	Omitted    int           `json:"resultsOmitted,omitempty" jsonschema_description:"Results left out for length: ask for fewer"`
	Pending    int           `json:"pending,omitempty" jsonschema_description:"Entities with parts that have no vector yet, found by words only"`
	Incomplete bool          `json:"incomplete,omitempty" jsonschema_description:"Some entities were not looked at: after an import, or changes by another program, they are not indexed yet"`
}

type semanticHit struct {
	excerpt
	Relevance   float64      `json:"relevance" jsonschema_description:"How probably it is what was asked for, 0 to 1"`
	Weak        bool         `json:"weak,omitempty" jsonschema_description:"It may have nothing to do with the query"`
	Match       string       `json:"match,omitempty" jsonschema_description:"The part that matched"`
	LimbicScore float64      `json:"limbic_score" jsonschema_description:"Evidence and use; decides the order"`
	Scoring     scoring      `json:"scoring" jsonschema_description:"How use counted"`
	Distance    *float64     `json:"distance,omitempty" jsonschema_description:"Cosine distance; absent if found by words"`
	RRFScore    *float64     `json:"rrf_score,omitempty" jsonschema_description:"Fusion of meaning and words by rank"`
	Explanation *explanation `json:"explain,omitempty" jsonschema_description:"How the score came about"`
}

type scoring struct {
	Importance     float64 `json:"importance" jsonschema_description:"By accesses and relations"`
	TemporalFactor float64 `json:"temporal_factor" jsonschema_description:"Decay since the last access"`
	CoocBoost      float64 `json:"cooc_boost" jsonschema_description:"By use together with other results"`
}

type explanation struct {
	Meaning      float64 `json:"meaning" jsonschema_description:"Closeness in meaning: 0 unrelated, 1 an answer"`
	EntityWords  float64 `json:"entity_words" jsonschema_description:"Share of the query's words, by weight, in the entity"`
	PassageWords float64 `json:"passage_words" jsonschema_description:"The same in its best part"`
	Evidence     float64 `json:"evidence" jsonschema_description:"Their weighed sum"`
	Gap          float64 `json:"gap" jsonschema_description:"How much more that is than the best other's; with evidence makes relevance"`
	UseFactor    float64 `json:"use_factor" jsonschema_description:"What use multiplied it by"`
	ExactName    bool    `json:"exact_name" jsonschema_description:"The query is its name: it comes first"`
	NearestRank  int     `json:"nearest_rank,omitempty" jsonschema_description:"Place by meaning"`
	WordsRank    int     `json:"words_rank,omitempty" jsonschema_description:"Place by words"`
}

func searchSemantic(search func(context.Context, memory.Question) (memory.SemanticResult, error)) Tool {
	return typed(Tool{
		Name:  "search_semantic",
		Title: "Search by meaning",
		Description: "Find entities by meaning, across languages, when the exact words are not known: by any part of what is stored. " +
			"Needs the embedding model; without it use search_nodes.",
		ReadOnly:   true,
		Idempotent: true,
		Everyday:   true,
	}, func(ctx context.Context, in searchSemanticInput) (searchSemanticOutput, error) {
		question, err := in.question()
		if err != nil {
			return searchSemanticOutput{}, err
		}
		result, err := search(ctx, question)
		if err != nil {
			return searchSemanticOutput{}, err
		}
		out := searchSemanticOutput{Results: make([]semanticHit, len(result.Hits)), Pending: result.Pending, Incomplete: result.Incomplete}
		for i, hit := range result.Hits {
			out.Results[i] = hitOf(hit)
			if in.Explain {
				out.Results[i].Explanation = explain(hit)
			}
		}
		shortenHits(out.Results, in.Query)
		out.Results, out.Omitted = fitHits(out.Results)
		return out, nil
	})
}

func (in searchSemanticInput) check() error {
	_, err := in.question()
	return err
}

func (in searchSemanticInput) question() (memory.Question, error) {
	q := memory.Question{Query: in.Query, Limit: in.Limit, EntityType: in.EntityType}
	var err error
	if q.Since, err = bound("since", in.Since, false); err != nil {
		return q, err
	}
	q.Until, err = bound("until", in.Until, true)
	return q, err
}

// timeLayouts are the forms in which a time may be given, also with a blank for the
// T, and in small letters; without a zone it is UTC.
var timeLayouts = []string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04:05",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700", "2006-01-02T15:04Z07", "2006-01-02T15:04",
	"20060102T150405Z0700", "20060102T150405",
}

// periods are the forms of dates, with how long each is.
var periods = []struct {
	layout       string
	months, days int
}{{time.DateOnly, 0, 1}, {"20060102", 0, 1}, {"2006-01", 1, 0}, {"2006", 12, 0}}

// bound reads a date or time; a day, month or year stands for its first or its last second.
// None is the zero time.
func bound(field, text string, end bool) (time.Time, error) {
	text = strings.ToUpper(strings.TrimSpace(text))
	if text == "" {
		return time.Time{}, nil
	}
	for _, p := range periods {
		if begin, err := time.Parse(p.layout, text); err == nil {
			if end {
				return begin.AddDate(0, p.months, p.days).Add(-time.Second), nil
			}
			return begin, nil
		}
	}
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, strings.Replace(text, " ", "T", 1)); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, &memory.InputError{Path: field, Reason: "must be a date or time such as 2026-03-31 or 2026-03-31T18:00:00Z"}
}

// hitOf shows a hit with its scores rounded as documented.
func hitOf(h memory.Hit) semanticHit {
	return semanticHit{
		excerpt:     excerpt{entityOutput: entityOf(h.Entity)},
		Relevance:   round(h.Relevance, 3),
		Weak:        h.Weak,
		Match:       h.Match,
		LimbicScore: round(h.LimbicScore, 4),
		Scoring: scoring{
			Importance:     round(h.Importance, 4),
			TemporalFactor: round(h.TemporalFactor, 4),
			CoocBoost:      round(h.CoocBoost, 4),
		},
		Distance: roundIfAny(h.Distance, 4),
		RRFScore: roundIfAny(h.RRF, 6),
	}
}

func explain(h memory.Hit) *explanation {
	return &explanation{
		Meaning: round(h.Meaning, 4), EntityWords: round(h.EntityWords, 4), PassageWords: round(h.PassageWords, 4),
		Evidence: round(h.Evidence, 4), Gap: round(h.Gap, 4), UseFactor: round(h.UseFactor, 4), ExactName: h.Exact,
		NearestRank: h.NearestRank, WordsRank: h.WordsRank,
	}
}

// hitsRoom is how many characters the results of a reply may have.
const hitsRoom = replySize - frame

// fitHits leaves out the last results where even without their observations all
// are longer than clients show.
func fitHits(hits []semanticHit) (fitting []semanticHit, omitted int) {
	room := hitsRoom
	for i, hit := range hits {
		if room -= sizeOf(hit) + 1; room < 0 && i > 0 {
			return hits[:i], len(hits) - i
		}
	}
	return hits, 0
}

// shortenHits leaves out observations where the results together are longer
// than clients show. Every result has its share.
func shortenHits(hits []semanticHit, query string) {
	const room = hitsRoom
	sizes, total := make([]int, len(hits)), 0
	for i, hit := range hits {
		sizes[i] = sizeOf(hit) + 1
		total += sizes[i]
	}
	if total <= room {
		return
	}
	f := fitting{query: query}
	for i, share := range shares(sizes, room) {
		if sizes[i] > share {
			scores := sizes[i] - sizeOf(hits[i].excerpt)
			hits[i].excerpt = f.shorten(hits[i].excerpt, share-scores)
		}
	}
}

// shares divides room among what has these sizes: what needs little leaves the
// more to others.
func shares(sizes []int, room int) []int {
	order := make([]int, len(sizes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[a], sizes[b]) })
	list := make([]int, len(sizes))
	for n, i := range order {
		list[i] = min(sizes[i], room/(len(order)-n))
		room -= list[i]
	}
	return list
}
