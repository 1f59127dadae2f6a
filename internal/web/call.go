package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"mcp-memory/internal/memory"
)

// callInput is one change or question: calls of tools, one after the other.
type callInput struct {
	Calls []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Expect    *expectation    `json:"expect"` // a change that others came before is refused
	} `json:"calls"`
}

// expectation is what the page shows of an entity that it changes. What is absent
// does not matter.
type expectation struct {
	Name        string `json:"name"`
	EntityType  string `json:"entityType"`
	Observation string `json:"observation"` // that it has
	UpdatedAt   string `json:"updatedAt"`
	Absent      bool   `json:"absent"` // there is none
}

type callOutput struct {
	Answers []any       `json:"answers"`        // of the tools, in order
	Undo    *undoTicket `json:"undo,omitempty"` // absent if nothing was changed
}

// undoTicket is by what a change can be taken back, and for how long.
type undoTicket struct {
	ID      string `json:"id"`
	Seconds int    `json:"seconds"`
}

// call calls tools. If one fails, what those before it changed is taken back.
func (a *api) call(ctx context.Context, in callInput) (callOutput, error) {
	var journal memory.Journal
	out := callOutput{Answers: []any{}}
	for i, c := range in.Calls {
		t, known := a.tools[c.Name]
		if !known {
			return out, a.giveUp(ctx, journal, &requestError{http.StatusBadRequest, fmt.Sprintf("calls[%d].name: there is no tool %q here", i, c.Name)})
		}
		calling := memory.WithJournal(ctx, &journal)
		if e := c.Expect; e != nil {
			calling = memory.WithExpected(calling, memory.Expected{Name: e.Name, Type: e.EntityType, Observation: e.Observation, UpdatedAt: e.UpdatedAt, Absent: e.Absent})
		}
		answer, err := t.Call(calling, c.Arguments)
		if err != nil {
			return out, a.giveUp(ctx, journal, err)
		}
		out.Answers = append(out.Answers, answer)
	}
	if !journal.Empty() {
		out.Undo = &undoTicket{ID: a.undos.keep(journal), Seconds: int(keepFor.Seconds())}
	}
	return out, nil
}

// giveUp takes back what was changed before an error, which it returns.
func (a *api) giveUp(ctx context.Context, journal memory.Journal, err error) error {
	if journal.Empty() {
		return err
	}
	if _, undoErr := a.service.Undo(context.WithoutCancel(ctx), journal); undoErr != nil {
		return fmt.Errorf("taking back a change of which a part failed (%w): %w", err, undoErr)
	}
	return err
}

type undoInput struct {
	ID string `json:"id"`
}

type undoOutput struct {
	// Incomplete says that relations stay away, as their other ends are gone.
	Incomplete bool `json:"incomplete"`
}

// undo takes a change back.
func (a *api) undo(ctx context.Context, in undoInput) (undoOutput, error) {
	incomplete, err := a.undos.undo(in.ID, func(j memory.Journal) (memory.Journal, error) { return a.service.Undo(ctx, j) })
	return undoOutput{incomplete}, err
}

type undoableInput struct {
	IDs []string `json:"ids"`
}

type undoableOutput struct {
	// Seconds is for how long each can be taken back. What is not there cannot.
	Seconds map[string]int `json:"seconds"`
}

// undoable tells which changes can still be taken back.
func (a *api) undoable(_ context.Context, in undoableInput) (undoableOutput, error) {
	return undoableOutput{a.undos.left(in.IDs)}, nil
}
