package arguments

import (
	"fmt"
	"strings"

	"mcp-memory/internal/memory"
)

// maxShown is how many problems are told at once.
const maxShown = 3

// Problems is what is wrong with a call's arguments, in the order of the
// struct's fields.
type Problems struct {
	First []*memory.InputError // at most maxShown
	More  int                  // number of others
	Hint  string               // what was expected; may be empty
}

func (p *Problems) Error() string {
	texts := make([]string, 0, maxShown+1)
	for _, e := range p.First {
		texts = append(texts, e.Error())
	}
	if p.More > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", p.More))
	}
	text := strings.Join(texts, "; ")
	if p.Hint != "" {
		text += " (" + p.Hint + ")"
	}
	return text
}

func (p *Problems) add(at *path, format string, args ...any) {
	if len(p.First) == maxShown {
		p.More++
		return
	}
	p.First = append(p.First, &memory.InputError{Path: at.String(), Reason: fmt.Sprintf(format, args...)})
}

// path is where in the arguments a value is. It is spelled out only when
// something is wrong there.
type path struct {
	parent *path
	key    string
	index  int // of a list's item, when key is empty
}

func (p *path) String() string {
	switch {
	case p == nil:
		return ""
	case p.key == "":
		return fmt.Sprintf("%s[%d]", p.parent, p.index)
	case p.parent == nil || p.parent.String() == "":
		return p.key
	default:
		return p.parent.String() + "." + p.key
	}
}
