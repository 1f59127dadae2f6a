package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzMembers compares with encoding/json, which reads the same more slowly.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{
		`{}`, ` { } `, `[]`, `"{"`, `null`, `5`, `{"a":1}`, "\t{ \"a\" : 1 ,\r\n\"b\":[1, {\"c\":\"]}\"}] }",
		`{"a":1,"a":{"b":2}}`, `{"\u0061":"\"","b\\":"\\\\","c\\\"":"\\\""}`, `{"":"","x":{}}`, `{"a":"\\"}`,
		`{"a":[[],{}],"b":"}","c":true,"d":null,"e":-1.5e3}`, `{"a":":,","b,:":1}`, "{\"\xff\":\"\xfe\"}", `{"::":2}`, `{"\ud800":1}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if !json.Valid([]byte(raw)) {
			return
		}
		var want map[string]json.RawMessage
		if json.Unmarshal([]byte(raw), &want) != nil {
			want = nil
		}
		if diff := cmp.Diff(want, members(json.RawMessage(raw))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", strings.ToValidUTF8(raw, "?"), diff)
		}
	})
}
