package jsonl_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/jsonl"
	"mcp-memory/internal/leak"
)

// FuzzRead reads anything: every record is one thing, sound, and on a line
// that exists.
func FuzzRead(f *testing.F) {
	f.Add([]byte(a + "\n" + b + ab + "\r\n[1]\n"))
	f.Add([]byte(`{"entities":[{"name":"A"},` + a + `],"relations":[` + ab + `]}`))
	f.Add([]byte("{\n \"type\": \"entity\",\n \"name\": \"A\"\n}\n" + b[:20]))
	f.Add([]byte("\xff\xfe[\x00\n\x00{\x00}\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		narrow := limits
		narrow.RecordSize = 1000
		lines := 1 + bytes.Count(file, []byte("\n")) + bytes.Count(file, []byte("\r"))
		for r, err := range jsonl.Read(bytes.NewReader(file), narrow) {
			if err != nil {
				t.Fatal(err)
			}
			if r.Line < 1 || r.Line > lines {
				t.Fatalf("line %d of %d", r.Line, lines)
			}
			checkRecord(t, r, string(file))
		}
	})
}

// checkRecord fails unless r is one thing that keeps to what its type says.
func checkRecord(t *testing.T, r jsonl.Record, file string) {
	t.Helper()
	text := func(s string, most int) {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) || utf8.RuneCountInString(strings.TrimSpace(s)) > most {
			t.Fatalf("line %d holds the text %q", r.Line, s)
		}
	}
	things := 0
	if e := r.Entity; e != nil {
		things++
		text(e.Name, limits.Name)
		text(e.Type, limits.Type)
		if strings.TrimSpace(e.Name) == "" || e.Observations == nil {
			t.Fatalf("line %d holds the entity %#v", r.Line, *e)
		}
		for _, o := range e.Observations {
			text(o, limits.Observation)
		}
	}
	if e := r.Relation; e != nil {
		things++
		text(e.From, limits.Name)
		text(e.To, limits.Name)
		text(e.Type, limits.RelationType)
		if e.From == "" || e.To == "" || e.Type == "" {
			t.Fatalf("line %d holds the relation %#v", r.Line, *e)
		}
	}
	if p := r.Problem; p != nil {
		things++
		if p.Reason == "" || leak.In(p.Reason, file) != "" || !utf8.ValidString(p.Reason) {
			t.Fatalf("line %d has the reason %q", r.Line, p.Reason)
		}
	}
	if things != 1 {
		t.Fatalf("line %d is %d things: %+v", r.Line, things, r)
	}
}

// FuzzLines reads lines of records: every line that is not blank is accounted
// for, whatever stands on it, and the good ones around it are kept.
func FuzzLines(f *testing.F) {
	f.Add([]byte(a + b))
	f.Add([]byte("  " + ab[:30] + a))
	f.Add([]byte("nonsense\n\n{}\r\n" + b + ","))
	f.Fuzz(func(t *testing.T, middle []byte) {
		if bytes.ContainsAny(middle, "[{\n\r") && mayBeDocument(middle) {
			t.Skip()
		}
		file := a + "\n" + string(middle) + "\n" + ab
		seen := map[int]bool{}
		var first, last string
		for r, err := range jsonl.Read(strings.NewReader(file), limits) {
			if err != nil {
				t.Fatal(err)
			}
			if first == "" {
				first = render(r)
			}
			last = render(r)
			seen[r.Line] = true
		}
		lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(file, "\r\n", "\n"), "\r", "\n"), "\n")
		for i, line := range lines {
			blank := strings.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' || r == ',' }) == ""
			if !blank && !seen[i+1] {
				t.Fatalf("nothing said about line %d: %q", i+1, line)
			}
		}
		if first != "1 "+gotA || !strings.HasSuffix(last, gotAB) {
			t.Fatalf("first %q, last %q: good records around %q were lost", first, last, middle)
		}
	})
}

// mayBeDocument reports whether a line may begin a document, of which lists
// may be empty and records span lines.
func mayBeDocument(file []byte) bool {
	for line := range bytes.FieldsFuncSeq(file, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = bytes.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' })
		if bytes.HasPrefix(line, []byte("[")) || bytes.Equal(line, []byte("{")) ||
			bytes.Contains(line, []byte(`entities"`)) || bytes.Contains(line, []byte(`relations"`)) {
			return true
		}
	}
	return false
}
