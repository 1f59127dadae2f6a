package passage

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// FormatVersion names the form of the texts. It changes whenever the same
// entity would be rendered differently, and with it every Hash.
const FormatVersion = "1"

// Budget is how many tokens a text may have. A prefix and the special tokens
// fit beside it into the 512 that the model takes.
const Budget = 480

// Entity is what a text is made from. Observations are in order of insertion,
// relations in an order that is always the same.
type Entity struct {
	Name, Type   string
	Observations []string
	Outgoing     []Rel
	Incoming     []Rel
}

// Rel is a relation of the entity: its type and the entity at the other end.
type Rel struct {
	Type, Other string
}

// Counter returns the number of tokens of each text.
type Counter func(texts []string) ([]int, error)

// Hash identifies, as hexadecimal SHA-256, everything that the text of e may
// depend on: the format and all of the entity, also what Text leaves out.
func Hash(e Entity) string {
	h := sha256.New()
	var buf []byte
	field := func(s string) {
		buf = strconv.AppendInt(buf[:0], int64(len(s)), 10)
		buf = append(buf, ':')
		h.Write(append(buf, s...))
	}
	list := func(n int) { field(strconv.Itoa(n)) }
	field(FormatVersion)
	field(e.Name)
	field(e.Type)
	list(len(e.Observations))
	for _, o := range e.Observations {
		field(o)
	}
	for _, rels := range [][]Rel{e.Outgoing, e.Incoming} {
		list(len(rels))
		for _, r := range rels {
			field(r.Type)
			field(r.Other)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
