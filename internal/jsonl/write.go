package jsonl

import (
	"bufio"
	"encoding/json"
	"io"
)

// Writer writes records as the official server does, one a line.
type Writer struct {
	out     *bufio.Writer
	encoder *json.Encoder
}

// NewWriter makes a writer, which must be flushed.
func NewWriter(w io.Writer) *Writer {
	out := bufio.NewWriterSize(w, 64<<10)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return &Writer{out, encoder}
}

// Entity writes an entity. Those who read the file want them before relations.
func (w *Writer) Entity(e Entity) error {
	if e.Observations == nil {
		e.Observations = []string{}
	}
	return w.encoder.Encode(struct {
		Kind         string   `json:"type"`
		Name         string   `json:"name"`
		Type         string   `json:"entityType"`
		Observations []string `json:"observations"`
	}{entityKind, e.Name, e.Type, e.Observations})
}

// Relation writes a relation.
func (w *Writer) Relation(r Relation) error {
	return w.encoder.Encode(struct {
		Kind string `json:"type"`
		From string `json:"from"`
		To   string `json:"to"`
		Type string `json:"relationType"`
	}{relationKind, r.From, r.To, r.Type})
}

// Flush writes what is still in memory.
func (w *Writer) Flush() error { return w.out.Flush() }
