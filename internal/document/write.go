package document

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Writer writes a document, record by record. Records of a section follow each
// other, and sections come in their order: entities, relations, co-occurrences,
// vectors of passages, vectors of entities. An error stays until Close.
type Writer struct {
	out     *bufio.Writer
	section int // index of the one that is open
	first   bool
	err     error
}

// NewWriter begins a document. The model is the one that makes the vectors of the
// memory, if that is known and they are written.
func NewWriter(w io.Writer, model string) *Writer {
	dw := &Writer{out: bufio.NewWriterSize(w, 64<<10), section: -1}
	dw.printf(`{"format":%q,"version":%d`, FormatName, FormatVersion)
	if model != "" {
		text, err := line(model)
		dw.err = err
		dw.printf(`,%q:%s`, modelField, text)
	}
	return dw
}

// Entity writes the next entity.
func (w *Writer) Entity(e Entity) error {
	if e.Observations == nil {
		e.Observations = []Observation{}
	}
	return w.record(entitiesSection, e)
}

// Relation writes the next relation.
func (w *Writer) Relation(r Relation) error { return w.record(relationsSection, r) }

// CoOccurrence writes the next co-occurrence.
func (w *Writer) CoOccurrence(c CoOccurrence) error { return w.record(coOccurrencesSection, c) }

// PassageVector writes the next vector of a passage.
func (w *Writer) PassageVector(v Vector) error { return w.record(passageVectorsSection, v) }

// EntityVector writes the next vector of a whole entity.
func (w *Writer) EntityVector(v Vector) error { return w.record(entityVectorsSection, v) }

// Close ends the document, in which the first three sections are, even if empty.
func (w *Writer) Close() error {
	w.open(max(w.section, slices.Index(sections, coOccurrencesSection)))
	w.printf("\n]}\n")
	if w.err == nil {
		w.err = w.out.Flush()
	}
	return w.err
}

func (w *Writer) record(section string, v any) error {
	w.open(slices.Index(sections, section))
	if w.err != nil {
		return w.err
	}
	text, err := line(v)
	if err != nil {
		w.err = err
		return err
	}
	if !w.first {
		w.printf(",")
	}
	w.first = false
	w.printf("\n%s", text)
	return w.err
}

// open begins the sections up to that of the index.
func (w *Writer) open(index int) {
	if index < w.section && w.err == nil {
		w.err = fmt.Errorf("%s come after %s", sections[w.section], sections[index])
	}
	for w.section < index {
		if w.section >= 0 {
			w.printf("\n]")
		}
		w.section++
		w.printf(",\n%q:[", sections[w.section])
		w.first = true
	}
}

func (w *Writer) printf(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.out, format, args...)
	}
}

// line is a record as JSON on one line, without an end of line.
func line(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
