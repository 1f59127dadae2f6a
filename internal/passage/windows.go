package passage

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// How an entity is cut into windows, in tokens as Tokens estimates them.
// docs/search.md has the measurements.
const (
	// windowTokens is how many a window has below its header, at most. Longer
	// sentences are cut.
	windowTokens = 96
	// overlapTokens is how long the last sentence of a window may be to begin
	// the next one as well.
	overlapTokens = windowTokens / 4
	// headerTokens is how many of a name and type stand above a window.
	headerTokens = 64
)

// Window is a part of an entity that is embedded and indexed by itself:
// neighbouring observations, a piece of a long one, or relations.
type Window struct {
	First, Last int    // indexes of the observations that it holds something of; -1 if none
	Body        string // what it holds
	Text        string // the same under the entity's name and type
}

// Hash identifies a text and the form that windows have.
func (w Window) Hash() string {
	sum := sha256.Sum256([]byte(w.Text))
	return WindowVersion + ":" + base64.RawURLEncoding.EncodeToString(sum[:16])
}

// WindowVersion names how windows are cut. It changes whenever the same entity
// would be cut differently.
const WindowVersion = "1"

// Windows cuts an entity into windows, one at least, which overlap:
//
//	name (type) | sentence or observation | another | …
//	name (type) | Rel: type → target; source → type
func Windows(e Entity) []Window {
	header := cutTokens(e.Name+" ("+e.Type+")", headerTokens)
	windows := observationWindows(e.Observations)
	windows = append(windows, relationWindows(e)...)
	if len(windows) == 0 {
		windows = []Window{{First: -1, Last: -1}}
	}
	for i := range windows {
		w := &windows[i]
		w.Text = header
		if w.Body != "" {
			w.Text += separator + w.Body
		}
	}
	return windows
}

// observationWindows fills windows with the sentences of all observations. Where
// these do not fit into one, a unit that stands apart begins a new one.
func observationWindows(observations []string) []Window {
	units := unitsOf(observations)
	if fitsOneWindow(units) {
		for i := range units {
			units[i].apart = false
		}
	}
	var windows []Window
	for start := 0; start < len(units); {
		end, tokens := start+1, units[start].tokens
		for end < len(units) && !units[end].apart && tokens+units[end].tokens <= windowTokens {
			tokens += units[end].tokens
			end++
		}
		windows = append(windows, windowOf(units[start:end]))
		last := units[end-1].tokens
		if end < len(units) && !units[end].apart && end-start > 1 && last <= overlapTokens && last+units[end].tokens <= windowTokens {
			end-- // the next window has something new beside it
		}
		start = end
	}
	return windows
}

func fitsOneWindow(units []unit) bool {
	tokens := 0
	for _, u := range units {
		if tokens += u.tokens; tokens > windowTokens {
			return false
		}
	}
	return true
}

// windowOf joins units: those of one observation as they stood there.
func windowOf(units []unit) Window {
	w := Window{First: units[0].observation, Last: units[len(units)-1].observation}
	var b strings.Builder
	for i, u := range units {
		switch {
		case i == 0:
		case u.observation == units[i-1].observation:
			b.WriteByte(' ')
		default:
			b.WriteString(separator)
		}
		b.WriteString(u.text)
	}
	w.Body = b.String()
	return w
}

// relationWindows lists all relations, as many in a window as fit.
func relationWindows(e Entity) []Window {
	var (
		windows []Window
		b       strings.Builder
		room    int
	)
	flush := func() {
		if b.Len() > 0 {
			windows = append(windows, Window{First: -1, Last: -1, Body: b.String()})
			b.Reset()
		}
	}
	add := func(relation string) {
		relation = cutTokens(relation, windowTokens)
		tokens := Tokens(relation)
		if b.Len() > 0 && tokens > room {
			flush()
		}
		if b.Len() == 0 {
			b.WriteString(strings.TrimPrefix(relPrefix, separator))
			room = windowTokens
		} else {
			b.WriteString(relSeparator)
		}
		b.WriteString(relation)
		room -= tokens
	}
	for _, r := range e.Outgoing {
		add(r.Type + arrow + r.Other)
	}
	for _, r := range e.Incoming {
		add(r.Other + arrow + r.Type)
	}
	flush()
	return windows
}
