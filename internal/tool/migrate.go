package tool

import (
	"context"

	"mcp-memory/internal/memory"
)

type migrateInput struct {
	SourcePath string `json:"source_path,omitempty" jsonschema:"default=" jsonschema_description:"Path of the file on the server's machine; ~ is the home folder"`
}

type migrateOutput struct {
	EntitiesImported  int             `json:"entities_imported" jsonschema_description:"Entities taken, new or merged"`
	RelationsImported int             `json:"relations_imported" jsonschema_description:"Relations created"`
	Errors            int             `json:"errors" jsonschema_description:"Records that could not be read"`
	Skipped           int             `json:"skipped" jsonschema_description:"Records left out"`
	Problems          []importProblem `json:"problems" jsonschema_description:"The first records that were not taken, or not as they stand in the file"`
	NotIndexed        string          `json:"notIndexed,omitempty" jsonschema_description:"What no search finds yet, and why"`
}

type importProblem struct {
	Line   int    `json:"line" jsonschema_description:"Line in the file"`
	Reason string `json:"reason" jsonschema_description:"What is wrong"`
}

func migrate(load func(ctx context.Context, path string) (memory.ImportReport, error)) Tool {
	return typed(Tool{
		Name:  "migrate",
		Title: "Import a memory file",
		Description: "Import entities and relations from a memory file: the official memory server's JSONL, or a JSON document as read_graph prints it. " +
			"Merges into what is there; importing twice adds nothing.",
		Idempotent: true,
	}, func(ctx context.Context, in migrateInput) (migrateOutput, error) {
		report, err := load(ctx, in.SourcePath)
		if err != nil {
			return migrateOutput{}, err
		}
		out := migrateOutput{
			EntitiesImported: report.Entities, RelationsImported: report.Relations,
			Errors: report.Errors, Skipped: report.Skipped,
			Problems: make([]importProblem, len(report.Problems)), NotIndexed: report.Unindexed,
		}
		for i, p := range report.Problems {
			out.Problems[i] = importProblem{Line: p.Line, Reason: p.Reason}
		}
		return out, nil
	})
}
