package document

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strings"
)

// Record is one record of a document: one of its kinds, or else a Problem.
type Record struct {
	Line   int    // where it begins, from 1
	Offset int64  // of its end in the document, in bytes
	Path   string // such as entities[2]

	Model         string // that makes the vectors of the memory
	Entity        *Entity
	Relation      *Relation
	CoOccurrence  *CoOccurrence
	PassageVector *Vector
	EntityVector  *Vector
	Problem       string // what is wrong with the record, with the path of the field

	Altered []string // what is not as it stands in the document, with the path of the field
}

// SyntaxError is a document that cannot be read on from a line.
type SyntaxError struct {
	Line   int
	Reason string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// HeadSize is how many bytes Is looks at.
const HeadSize = 128

var head = regexp.MustCompile(`^(?:\x{FEFF})?\s*\{\s*"format"\s*:\s*"` + regexp.QuoteMeta(FormatName) + `"`)

// Is reports whether what begins like this is a document, of whatever version.
func Is(beginning []byte) bool { return head.Match(beginning) }

// Read yields the records of a document, those with a problem as well. An error
// is the last that is yielded: a *SyntaxError, or one of reading r.
func Read(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		in := &counter{r: bufio.NewReaderSize(withoutMark(r), 64<<10)}
		rd := &reader{in: in, dec: json.NewDecoder(in), yield: yield}
		if err := rd.document(); err != nil && !errors.Is(err, errStopped) {
			yield(Record{}, rd.explain(err))
		}
	}
}

// withoutMark drops a byte order mark.
func withoutMark(r io.Reader) io.Reader {
	buffered := bufio.NewReader(r)
	if mark, _ := buffered.Peek(3); string(mark) == "\uFEFF" {
		_, _ = buffered.Discard(3)
	}
	return buffered
}

// errStopped says that the consumer wants no more.
var errStopped = errors.New("stopped")

type reader struct {
	in      *counter
	dec     *json.Decoder
	yield   func(Record, error) bool
	last    int // index of the section read last
	version bool
}

func (rd *reader) document() error {
	if err := rd.delim('{'); err != nil {
		return err
	}
	rd.last = -1
	for rd.dec.More() {
		key, err := rd.dec.Token()
		if err != nil {
			return err
		}
		if err := rd.field(key.(string)); err != nil {
			return err
		}
	}
	if err := rd.delim('}'); err != nil {
		return err
	}
	if _, err := rd.dec.Token(); !errors.Is(err, io.EOF) {
		return rd.wrong("there is something behind the end of the document")
	}
	if !rd.version {
		return rd.wrong("the document has no version")
	}
	return nil
}

func (rd *reader) field(name string) error {
	index := slices.Index(sections, name)
	if index < 0 {
		return rd.other(name)
	}
	if !rd.version {
		return rd.wrong("the version must come before " + name)
	}
	if index <= rd.last {
		return rd.wrong(fmt.Sprintf("%s must come once, and before %s", name, sections[rd.last]))
	}
	rd.last = index
	return rd.list(name)
}

// other reads a field that is no section. Unknown ones do no harm.
func (rd *reader) other(name string) error {
	var raw json.RawMessage
	if err := rd.dec.Decode(&raw); err != nil {
		return err
	}
	switch name {
	case "version":
		return rd.readVersion(raw)
	case modelField:
		r := Record{Line: rd.in.line(rd.dec.InputOffset()), Offset: rd.dec.InputOffset(), Path: name}
		if json.Unmarshal(raw, &r.Model) != nil || r.Model == "" {
			r.Model, r.Problem = "", name+": must be the id of a model"
		}
		if !rd.yield(r, nil) {
			return errStopped
		}
	}
	return nil
}

func (rd *reader) readVersion(raw []byte) error {
	var version int
	if json.Unmarshal(raw, &version) != nil || version < 1 {
		return rd.wrong(fmt.Sprintf("%.40s is no version", raw))
	}
	if version > FormatVersion {
		return rd.wrong(fmt.Sprintf("the document has format version %d, but this mcp-memory knows versions up to %d only: update mcp-memory",
			version, FormatVersion))
	}
	rd.version = true
	return nil
}

func (rd *reader) list(section string) error {
	if err := rd.delim('['); err != nil {
		return err
	}
	for i := 0; rd.dec.More(); i++ {
		var raw json.RawMessage
		if err := rd.dec.Decode(&raw); err != nil {
			return err
		}
		end := rd.dec.InputOffset()
		r := Record{
			Line: rd.in.line(end - int64(len(raw))), Offset: end,
			Path: fmt.Sprintf("%s[%d]", section, i),
		}
		if err := r.decode(section, raw); err != nil {
			r = Record{Line: r.Line, Offset: end, Path: r.Path, Problem: strings.Split(err.Error(), "\n")[0]}
		}
		if !rd.yield(r, nil) {
			return errStopped
		}
	}
	return rd.delim(']')
}

func (rd *reader) delim(want json.Delim) error {
	token, err := rd.dec.Token()
	if err == nil && token != want {
		err = rd.wrong(fmt.Sprintf("%q is due here", want.String()))
	}
	return err
}

func (rd *reader) wrong(reason string) error {
	return &SyntaxError{rd.in.line(rd.dec.InputOffset()), reason}
}

// explain puts an error of the decoder in the user's terms.
func (rd *reader) explain(err error) error {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	switch {
	case rd.in.err != nil:
		return rd.in.err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &SyntaxError{rd.in.line(rd.in.read), "the document is cut off"}
	case syntax:
		return rd.wrong("what follows is not valid JSON")
	}
	return err
}

// counter knows which line an offset lies in, of those not asked about before.
type counter struct {
	r     io.Reader
	read  int64   // bytes
	ends  []int64 // offsets of line ends that were read, beyond passed
	count int     // of line ends passed
	err   error   // of reading
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			c.ends = append(c.ends, c.read+int64(i))
		}
	}
	c.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// line is the number of the line that the byte at offset is in. Offsets ascend.
func (c *counter) line(offset int64) int {
	passed := 0
	for passed < len(c.ends) && c.ends[passed] < offset {
		passed++
	}
	c.ends = c.ends[passed:]
	c.count += passed
	return c.count + 1
}
