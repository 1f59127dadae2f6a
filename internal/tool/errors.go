package tool

import (
	"context"
	"errors"
	"strings"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/tool/arguments"
)

// What a caller is told when there is nothing better to say.
const (
	internalError = "internal error: see the server's log (stderr)"
	noModel       = "Embedding model not available. Run 'mcp-memory model download' to download the model first"
)

// shown are the errors whose texts are written for the caller.
var shown = []error{
	memory.ErrBusy, memory.ErrFull, memory.ErrMoved, memory.ErrReadOnly, memory.ErrCorrupt, memory.ErrIndexDamaged, memory.ErrRelationExists, memory.ErrNoSource,
}

// ErrorText says for an agent what went wrong. It reports false for an error
// of which there is more to know, which belongs into the log.
func ErrorText(err error) (text string, known bool) {
	return ErrorTextFor(err, "search_nodes works without it")
}

// ErrorTextFor is ErrorText for people, who know no tools: meanwhile says what works
// without the model; "" says nothing.
func ErrorTextFor(err error, meanwhile string) (text string, known bool) {
	var (
		problems *arguments.Problems
		failures failures
		input    *memory.InputError
		notFound *memory.NotFoundError
		relation *memory.RelationNotFoundError
		model    *memory.ModelError
	)
	switch {
	case errors.As(err, &problems):
		return problems.Error(), true
	case errors.As(err, &failures):
		return failures.Error(), true
	case errors.As(err, &input):
		return input.Error(), true
	case errors.As(err, &notFound):
		return notFound.Error(), true
	case errors.As(err, &relation):
		return relation.Error(), true
	case errors.As(err, &model):
		return sentence(model.Text(), ". ", meanwhile), true
	case errors.Is(err, memory.ErrNoModel):
		return sentence(noModel, "; ", meanwhile), true
	case errors.Is(err, memory.ErrDisk): // what failed is for the log
		return memory.ErrDisk.Error(), false
	case errors.Is(err, memory.ErrOddValue):
		return memory.ErrOddValue.Error(), false
	case errors.Is(err, memory.ErrUnsound):
		return memory.ErrUnsound.Error(), false
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "cancelled", true
	}
	for _, e := range shown {
		if errors.Is(err, e) {
			return e.Error(), true
		}
	}
	return internalError, false
}

// sentence joins two parts; the second may be missing.
func sentence(first, between, second string) string {
	if second == "" {
		return first + "."
	}
	return first + between + second + "."
}

// failures is a call of which every item failed for a reason to show.
type failures []error

func (f failures) Error() string { return strings.Join(distinctTexts(f), "; ") }

// textsOf returns the texts of errors; nil for none.
func textsOf(errs []error) []string {
	var texts []string
	for _, err := range errs {
		texts = append(texts, err.Error())
	}
	return texts
}

// distinctTexts returns each text once, in order.
func distinctTexts(errs []error) []string {
	var texts []string
	seen := map[string]bool{}
	for _, text := range textsOf(errs) {
		if !seen[text] {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	return texts
}
