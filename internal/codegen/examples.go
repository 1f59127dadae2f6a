package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
)

// examplesJSON holds calls and what they answer. A test carries them out, each on
// a memory of its own that holds what the setup makes.
//
//go:embed examples.json
var examplesJSON []byte

// examples are calls of the tools on a small memory.
type examples struct {
	Setup []call `json:"setup"`
	Calls []call `json:"calls"`
}

// call is a tool call with what it answers.
type call struct {
	Tool      string          `json:"tool"`
	Says      string          `json:"says,omitempty"` // what the example shows, where that is not plain
	Fails     bool            `json:"fails,omitempty"`
	Arguments json.RawMessage `json:"arguments"`
	Reply     json.RawMessage `json:"reply,omitempty"`
}

func readExamples() (examples, error) {
	var e examples
	d := json.NewDecoder(bytes.NewReader(examplesJSON))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return e, fmt.Errorf("read examples.json: %w", err)
	}
	return e, nil
}

// of returns the examples of a tool.
func (e examples) of(tool string) (calls []call) {
	for _, c := range e.Calls {
		if c.Tool == tool {
			calls = append(calls, c)
		}
	}
	return calls
}
