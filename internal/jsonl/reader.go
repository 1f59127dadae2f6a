package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"unicode"
)

// reader reads one file.
type reader struct {
	in      *input
	limits  Limits
	yield   func(Record, error) bool
	stopped bool // the consumer wants no more
}

// all reads lines of records, and documents where one begins.
func (rd *reader) all() {
	for !rd.stopped {
		rd.in.skipBlank()
		if _, ok := rd.in.next(); !ok {
			break
		}
		if documentStart.Match(rd.in.peek(documentStartSize)) {
			rd.document()
			continue
		}
		number, first := rd.in.line, rd.in.peek(1)[0]
		line, ok := rd.in.readLine(rd.limits.RecordSize)
		if !ok {
			f := rd.tooLong()
			f.noRecord = first != '{' && first != '['
			rd.report(number, "", f)
			continue
		}
		rd.line(number, bytes.TrimFunc(line, isInvisible))
	}
	if rd.in.err != nil && !rd.stopped {
		rd.yield(Record{}, rd.in.err)
	}
}

func isInvisible(r rune) bool { return unicode.IsSpace(r) || string(r) == byteOrderMark }

// emit yields a record. What follows a failure to read is not worth it.
func (rd *reader) emit(r Record) {
	if !rd.stopped && rd.in.err == nil {
		rd.stopped = !rd.yield(r, nil)
	}
}

// recordStart is how a record looks that follows a broken one on its line. In
// a text it would have its quotes escaped.
var recordStart = regexp.MustCompile(`\{\s*"(?:type|name|from)"\s*:`)

// line reads the records of one line. Behind a broken one it goes on where the
// next seems to begin.
func (rd *reader) line(number int, line []byte) {
	reported := false
	work := 0 // bytes looked at in vain
	for offset := 0; offset < len(line) && !rd.stopped; {
		dec := json.NewDecoder(bytes.NewReader(line[offset:]))
		err := rd.decode(dec, number)
		if errors.Is(err, io.EOF) {
			return
		}
		offset += int(dec.InputOffset())
		rest := bytes.TrimLeftFunc(line[offset:], isInvisible)
		offset = len(line) - len(rest)
		if rest[0] == ',' { // records as in a list
			offset++
			continue
		}
		if !reported || rest[0] == '{' {
			rd.report(number, "", flawOf(err))
			reported = true
		}
		work += lookedAt(err, len(rest))
		next := recordStart.FindIndex(rest[1:])
		if next == nil || work > 4*len(line)+1<<20 {
			return
		}
		offset += 1 + next[0]
	}
}

// decode reads values until one is broken, or to the end.
func (rd *reader) decode(dec *json.Decoder, number int) error {
	for !rd.stopped {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		rd.record(number, "", "", raw)
	}
	return io.EOF
}

// flawOf says why a value could not be read.
func flawOf(err error) flaw {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return cutOffLine
	}
	return notJSON
}

// lookedAt is how far the decoder came, at most.
func lookedAt(err error, length int) int {
	if e := (*json.SyntaxError)(nil); errors.As(err, &e) {
		return min(int(e.Offset), length)
	}
	return length
}
