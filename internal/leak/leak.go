// Package leak recognises what is not for users in a text that they see: words
// of SQL, of Go and of the libraries inside. It is for tests.
package leak

import (
	"slices"
	"strings"
)

// inside are words that no text of the program's own has.
var inside = []string{
	"sql:", "sqlite_", "sqlite3", "sql logic", "no such table", "no such column", "constraint failed", "syntax error", "malformed",
	"disk image", "query aborted", "datatype mismatch", "fts5", "vec0", "rowid", "goose", "select ", "insert into", "delete from",
	"scan error", "converting", "driver:", "bad connection",
	"json:", "unmarshal", "invalid character", "unexpected end", "strconv.", "unicodeerror",
	"goroutine", ".go:", "panic", "runtime error", "nil pointer", "out of range [", "interface conversion", "reflect.", "%!",
	"context canceled", "context deadline", ": eof", "unexpected eof", "errno", "<nil>", "proto:", "mcp-go",
}

// In returns the first such word of a text, or "". Words that somebody has said
// may be repeated to them.
func In(text string, said ...string) string {
	text = strings.ToLower(text)
	for _, word := range inside {
		repeated := func(s string) bool { return strings.Contains(strings.ToLower(s), word) }
		if strings.Contains(text, word) && !slices.ContainsFunc(said, repeated) {
			return word
		}
	}
	return ""
}
