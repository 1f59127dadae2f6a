package tool

import (
	"cmp"
	"context"
	"slices"

	"mcp-memory/internal/memory"
)

type searchSemanticInput struct {
	Query string `json:"query" jsonschema_description:"Question or description, in any language"`
	Limit int    `json:"limit,omitempty" min:"1" max:"1000" jsonschema:"default=10" jsonschema_description:"How many results at most, 1 to 1000"`
}

type searchSemanticOutput struct {
	Results []semanticHit `json:"results" jsonschema_description:"Entities, the best first"`
	Pending int           `json:"pending,omitempty" jsonschema_description:"Entities without a vector yet, found by words only"`
}

type semanticHit struct {
	excerpt
	LimbicScore float64  `json:"limbic_score" jsonschema_description:"Relevance and use"`
	Scoring     scoring  `json:"scoring" jsonschema_description:"How use counted"`
	Distance    *float64 `json:"distance,omitempty" jsonschema_description:"Cosine distance; absent if found by words"`
	RRFScore    *float64 `json:"rrf_score,omitempty" jsonschema_description:"Fusion of meaning and words"`
	Weak        bool     `json:"weak,omitempty" jsonschema_description:"It may have nothing to do with the query"`
}

type scoring struct {
	Importance     float64 `json:"importance" jsonschema_description:"By accesses and relations"`
	TemporalFactor float64 `json:"temporal_factor" jsonschema_description:"Decay since the last access"`
	CoocBoost      float64 `json:"cooc_boost" jsonschema_description:"By use together with other results"`
}

func searchSemantic(search func(ctx context.Context, query string, limit int) (memory.SemanticResult, error)) Tool {
	return typed(Tool{
		Name:  "search_semantic",
		Title: "Search by meaning",
		Description: "Find entities by meaning, across languages, when the exact words are not known. " +
			"Ranks by relevance, then use. Needs the embedding model; without it use search_nodes.",
		ReadOnly:   true,
		Idempotent: true,
	}, func(ctx context.Context, in searchSemanticInput) (searchSemanticOutput, error) {
		result, err := search(ctx, in.Query, in.Limit)
		if err != nil {
			return searchSemanticOutput{}, err
		}
		out := searchSemanticOutput{Results: make([]semanticHit, len(result.Hits)), Pending: result.Pending}
		for i, hit := range result.Hits {
			out.Results[i] = hitOf(hit)
		}
		shortenHits(out.Results, in.Query)
		return out, nil
	})
}

// hitOf shows a hit with its scores rounded as documented.
func hitOf(h memory.Hit) semanticHit {
	return semanticHit{
		excerpt:     excerpt{entityOutput: entityOf(h.Entity)},
		LimbicScore: round(h.LimbicScore, 4),
		Scoring: scoring{
			Importance:     round(h.Importance, 4),
			TemporalFactor: round(h.TemporalFactor, 4),
			CoocBoost:      round(h.CoocBoost, 4),
		},
		Distance: roundIfAny(h.Distance, 4),
		RRFScore: roundIfAny(h.RRFScore, 6),
		Weak:     h.Weak,
	}
}

// shortenHits leaves out observations where the results together are longer
// than clients show. Every result stays, and has its share.
func shortenHits(hits []semanticHit, query string) {
	const room = replySize - frame
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
