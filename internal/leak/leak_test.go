package leak_test

import (
	"testing"

	"mcp-memory/internal/leak"
)

func TestIn(t *testing.T) {
	for text, want := range map[string]string{
		"entities[2].name: must not be empty":                   "",
		"sql: no rows in result set":                            "sql:",
		"UNIQUE constraint failed: entities.name":               "constraint failed",
		"json: cannot unmarshal string into Go value":           "json:",
		"goroutine 7 [running]: main.go:3":                      "goroutine",
		"the memory database is damaged; restore a backup copy": "",
	} {
		if got := leak.In(text); got != want {
			t.Errorf("In(%q) = %q, want %q", text, got, want)
		}
	}
	if got := leak.In("Entity not found: sql: x", `{"name":"SQL: x"}`); got != "" {
		t.Errorf("what the caller said is taken for a leak: %q", got)
	}
}
