package resource

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"mcp-memory/internal/memory"
)

// The forms of URIs, as templates of RFC 6570.
const (
	EntityTemplate = "memory://entity/{name}"
	GraphTemplate  = "memory://graph{?offset,limit}"
	Graph          = "memory://graph"
)

const (
	entityPrefix = "memory://entity/"
	// longestURI is how many bytes a URI of a name of the greatest length may have,
	// all of it percent-encoded.
	longestURI = len(entityPrefix) + 3*utf8.UTFMax*memory.MaxNameLength
)

// URI is a URI that was understood. Two that are equal name the same.
type URI struct {
	Entity        string // the name; "" is the graph
	Offset, Limit string // of the graph, as they were written
}

// Parse understands a URI. It returns *memory.InputError for what is none of ours. What
// a template would have percent-encoded is also taken as it is, except %.
func Parse(text string) (URI, error) {
	switch prefix := len(entityPrefix); {
	case len(text) > longestURI:
		return URI{}, invalid("is too long: a name has at most %d characters", memory.MaxNameLength)
	case len(text) >= prefix && strings.EqualFold(text[:prefix], entityPrefix):
		return parseEntity(text[prefix:])
	case len(text) >= len(Graph) && strings.EqualFold(text[:len(Graph)], Graph):
		return parseGraph(text[len(Graph):])
	}
	return URI{}, invalid("must be %s or %s", EntityTemplate, GraphTemplate)
}

func parseEntity(encoded string) (URI, error) {
	name, err := url.PathUnescape(encoded)
	switch {
	case err != nil:
		return URI{}, invalid("must have the name percent-encoded: a %% of the name is %%25")
	case !utf8.ValidString(name):
		return URI{}, invalid("must have the name percent-encoded as UTF-8")
	case strings.ContainsRune(name, 0):
		return URI{}, invalid("must not contain NUL (%%00)")
	case memory.CanonicalName(name) == "":
		return URI{}, invalid("must have the name of an entity: %s", EntityTemplate)
	}
	return URI{Entity: name}, nil
}

func parseGraph(rest string) (URI, error) {
	path, query, _ := strings.Cut(rest, "?")
	if path != "" && path != "/" {
		return URI{}, invalid("must be %s or %s", EntityTemplate, GraphTemplate)
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return URI{}, invalid("must be like %s?offset=100&limit=50", Graph)
	}
	for key := range values {
		if key != "offset" && key != "limit" {
			return URI{}, invalid("must have no parameters but offset and limit, not %q", key)
		}
	}
	return URI{Offset: values.Get("offset"), Limit: values.Get("limit")}, nil
}

// ofEntity writes the URI of an entity, as a template with its name.
func ofEntity(name string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.WriteString(entityPrefix)
	for i := range len(name) {
		if c := name[i]; isUnreserved(c) {
			b.WriteByte(c)
		} else {
			b.WriteString(string([]byte{'%', hex[c>>4], hex[c&15]}))
		}
	}
	return b.String()
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// String writes a URI in the form in which lists have it.
func (u URI) String() string {
	if u.Entity != "" {
		return ofEntity(u.Entity)
	}
	values := url.Values{}
	for key, value := range map[string]string{"offset": u.Offset, "limit": u.Limit} {
		if value != "" {
			values.Set(key, value)
		}
	}
	if len(values) == 0 {
		return Graph
	}
	return Graph + "?" + values.Encode()
}

func invalid(format string, args ...any) error {
	return &memory.InputError{Path: "uri", Reason: fmt.Sprintf(format, args...)}
}
