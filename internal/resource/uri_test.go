package resource_test

import (
	"strings"
	"testing"

	"mcp-memory/internal/leak"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/resource"
)

func TestParse(t *testing.T) {
	long := strings.Repeat("🦊", memory.MaxNameLength)
	for text, want := range map[string]resource.URI{
		"memory://graph":                            {},
		"memory://graph/":                           {},
		"MEMORY://Graph?offset=5&limit=7":           {Offset: "5", Limit: "7"},
		"memory://entity/Ana":                       {Entity: "Ana"},
		"Memory://ENTITY/Ana":                       {Entity: "Ana"},
		"memory://entity/Ana%20M%C3%BCller":         {Entity: "Ana Müller"},
		"memory://entity/Ana%20M%c3%bcller":         {Entity: "Ana Müller"},
		"memory://entity/Ana Müller":                {Entity: "Ana Müller"}, // as people write it
		"memory://entity/a/b?c#d":                   {Entity: "a/b?c#d"},
		"memory://entity/a%2Fb%3Fc%23d%25e+":        {Entity: "a/b?c#d%e+"},
		"memory://entity/%E6%9D%B1%E4%BA%AC":        {Entity: "東京"},
		"memory://entity/..":                        {Entity: ".."},
		"memory://entity/memory%3A%2F%2Fgraph":      {Entity: "memory://graph"},
		resource.URI{Entity: long}.String():         {Entity: long},
		resource.URI{Entity: " \t%"}.String() + "x": {Entity: " \t%x"},
	} {
		got, err := resource.Parse(text)
		if err != nil || got != want {
			t.Errorf("%s is %+v, %v; want %+v", text, got, err, want)
			continue
		}
		if again, err := resource.Parse(got.String()); err != nil || again != got {
			t.Errorf("%s is written %s, and that read as %+v, %v", text, got, again, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, reason := range map[string]string{
		"":                                "must be memory://entity/{name} or memory://graph{?offset,limit}",
		"Ana":                             "must be memory://entity/{name}",
		"file:///etc/passwd":              "must be memory://entity/{name}",
		"memory://graphs":                 "must be memory://entity/{name}",
		"memory://graph/x":                "must be memory://entity/{name}",
		"memory://entity":                 "must be memory://entity/{name}",
		"memory://entity/":                "must have the name of an entity",
		"memory://entity/%20%0A":          "must have the name of an entity",
		"memory://entity/100%":            "a % of the name is %25",
		"memory://entity/%zz":             "a % of the name is %25",
		"memory://entity/%ff":             "percent-encoded as UTF-8",
		"memory://entity/a%00b":           "must not contain NUL",
		"memory://graph?a=1":              `not "a"`,
		"memory://graph?offset=%zz":       "must be like memory://graph?offset=100&limit=50",
		"memory://entity/" + long(10_000): "is too long: a name has at most 512 characters",
	} {
		if got, err := resource.Parse(text); err == nil || !strings.HasPrefix(err.Error(), "uri: ") || !strings.Contains(err.Error(), reason) {
			t.Errorf("%.60q is %+v, %v; want an error with %q", text, got, err, reason)
		}
	}
}

func long(n int) string { return strings.Repeat("a", n) }

// FuzzParse reads anything. What is understood is written so that it means the same,
// in characters that a URI may have; every name has a URI.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"memory://graph", "memory://graph?offset=1&limit=2", "memory://entity/Ana", "memory://entity/%E6%9D%B1%E4%BA%AC", "memory://entity/100%",
		"memory://entity/a/b?c#d", "memory://entity/..%2f..", "memory://graph?offset=%31;limit=2", "MEMORY://ENTITY/%F0%9F%A6%8A", "memory://entity/%ff%00", "東京",
		"memory://graph?offset=1&offset=2", "memory://graph?%6Fffset=+1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		uri, err := resource.Parse(text)
		if err != nil {
			if found := leak.In(err.Error(), text); found != "" {
				t.Errorf("%q: the error has words of the inside: %v", text, err)
			}
			return
		}
		written := uri.String()
		for i := range len(written) {
			if c := written[i]; c <= ' ' || c > '~' {
				t.Fatalf("%q is written %q", text, written)
			}
		}
		if again, err := resource.Parse(written); err != nil || again != uri {
			t.Errorf("%q is %+v, is written %s, and that read as %+v, %v", text, uri, written, again, err)
		}
	})
}
