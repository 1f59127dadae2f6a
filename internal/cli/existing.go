package cli

import (
	"errors"
	"fmt"

	"mcp-memory/internal/sqlite"
)

// absence is what a command does where there is no memory.
type absence bool

const (
	makeMemory absence = false // so do those that write
	findMemory absence = true  // those that only read, or change what is there, refuse
)

// noMemoryError says that there is no memory where a command needs one, and what to do.
type noMemoryError struct {
	path  string
	named string // the flag or variable that names it; "" for the default
	add   string // a command line that makes one
}

func (e *noMemoryError) Error() string {
	switch {
	case e.path == ":memory:":
		return "there is no memory at :memory:, which is empty in every program: name a file"
	case e.named == "":
		return fmt.Sprintf("there is no memory at %s yet: an AI client makes it when it first starts the server (`mcp-memory install`), and so does `%s`", e.path, e.add)
	}
	return fmt.Sprintf("there is no memory at %s, and none was made: correct %s, or begin one there with `%s`", e.path, e.named, e.add)
}

// orNoMemory says where there is no memory, in place of an error that means it.
func (s *settings) orNoMemory(err error) error {
	if !errors.Is(err, sqlite.ErrNoDatabase) {
		return err
	}
	add := append(append([]string{"mcp-memory"}, s.databaseArguments()...), "add", "NAME")
	return &noMemoryError{s.db, s.dbNamed, shellLine(add)}
}
