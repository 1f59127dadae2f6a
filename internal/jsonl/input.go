package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// input is a stream of bytes that knows its line. A failure to read ends it.
type input struct {
	r       *bufio.Reader
	line    int   // of the next byte, from 1
	afterCR bool  // an LF now belongs to a line end that was counted
	err     error // other than the end of the stream
}

// newInput reads UTF-8, or what a byte order mark says.
func newInput(r io.Reader) *input {
	utf8 := transform.NewReader(r, unicode.BOMOverride(encoding.Nop.NewDecoder()))
	return &input{r: bufio.NewReaderSize(utf8, 64<<10), line: 1}
}

// peek returns up to n bytes that come next, none at the end.
func (in *input) peek(n int) []byte {
	if in.err != nil {
		return nil
	}
	b, err := in.r.Peek(n)
	if len(b) == 0 && err != nil && !errors.Is(err, io.EOF) {
		in.err = err
	}
	return b
}

// next returns the byte that comes next without consuming it.
func (in *input) next() (byte, bool) {
	if b := in.peek(1); len(b) > 0 {
		return b[0], true
	}
	return 0, false
}

// advance consumes the next byte, which next has seen.
func (in *input) advance() {
	b, _ := in.r.ReadByte()
	in.count(b)
}

// count keeps the line number over b. LF, CRLF and CR end a line.
func (in *input) count(b byte) {
	if b == '\r' || b == '\n' && !in.afterCR {
		in.line++
	}
	in.afterCR = b == '\r'
}

// byteOrderMark may stand before any line: files are put together from others.
const byteOrderMark = "\uFEFF"

// skipBlank consumes blanks, line ends and byte order marks.
func (in *input) skipBlank() {
	for {
		b, ok := in.next()
		switch {
		case ok && isBlank(b):
			in.advance()
		case ok && b == byteOrderMark[0] && string(in.peek(len(byteOrderMark))) == byteOrderMark:
			_, _ = in.r.Discard(len(byteOrderMark))
		default:
			return
		}
	}
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// readLine consumes the rest of the line with its end, and returns it without.
// Of a line longer than limit it returns nothing and false.
func (in *input) readLine(limit int) (line []byte, ok bool) {
	ok = true
	for {
		in.peek(1) // fills the buffer if it is empty
		chunk := in.peek(in.r.Buffered())
		if len(chunk) == 0 {
			return line, ok
		}
		end := bytes.IndexAny(chunk, "\r\n")
		part := chunk
		if end >= 0 {
			part = chunk[:end]
		}
		if ok = ok && len(line)+len(part) <= limit; ok {
			line = append(line, part...)
		} else {
			line = nil
		}
		in.afterCR = in.afterCR && len(part) == 0
		_, _ = in.r.Discard(len(part))
		if end >= 0 {
			in.advance()
			return line, ok
		}
	}
}

// value is a JSON value as it stands in the input, which need not be sound.
type value struct {
	line   int // where it begins
	raw    []byte
	long   bool // longer than allowed; raw is empty
	cutOff bool // the input ended within
}

// readValue consumes a value up to the bracket or quote that closes it. What
// is no value ends at the next blank or separator, and a string without an end
// at that of its line. It consumes at least the next byte, which must not be
// blank.
func (in *input) readValue(limit int) value {
	v := value{line: in.line}
	depth, quoted, escaped := 0, false, false
	broken := false // a string had no end: brackets may be missing, too
	for first := true; ; first = false {
		b, ok := in.next()
		if !ok {
			v.cutOff = depth > 0 || quoted
			return v
		}
		switch {
		case quoted && (b == '\n' || b == '\r'):
			quoted, escaped, broken = false, false, true
			if depth == 0 {
				return v
			}
		case broken && b == '{' && bytes.HasSuffix(v.raw, []byte("\n")):
			return v // another record
		case escaped:
			escaped = false
		case quoted && b == '\\':
			escaped = true
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{' || b == '[':
			depth++
		case b == '}' || b == ']':
			if depth == 0 && !first {
				return v
			}
			depth--
		case depth == 0 && !first && (isBlank(b) || b == ',' || b == ':'):
			return v
		}
		in.advance()
		if v.long = v.long || len(v.raw) >= limit; v.long {
			v.raw = nil
		} else {
			v.raw = append(v.raw, b)
		}
		if depth <= 0 && !quoted && (b == '"' || b == '}' || b == ']') {
			return v
		}
	}
}
