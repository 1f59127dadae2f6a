package model

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
)

// Protocol buffer wire types.
const (
	wireVarint = 0
	wireFixed8 = 1
	wireBytes  = 2
	wireFixed4 = 5
)

// errTruncated says that a field reaches beyond the end of its message.
var errTruncated = errors.New("cut off")

// span is a range of bytes of a file.
type span struct{ start, end int64 }

// field is one field of a protocol buffer message: its tag and value (whole)
// and its value alone (body). Varints are also decoded.
type field struct {
	number int
	wire   int
	varint uint64
	whole  span
	body   span
}

// fields iterates over the fields of a message without reading their bodies,
// so that weights of gigabytes cost nothing.
func fields(r io.ReaderAt, message span) iter.Seq2[field, error] {
	return func(yield func(field, error) bool) {
		for at := message.start; at < message.end; {
			f, err := readField(r, at, message.end)
			if err != nil {
				yield(field{}, err)
				return
			}
			if !yield(f, nil) {
				return
			}
			at = f.whole.end
		}
	}
}

func readField(r io.ReaderAt, at, end int64) (field, error) {
	var buffer [2 * binary.MaxVarintLen64]byte
	n, err := r.ReadAt(buffer[:min(int64(len(buffer)), end-at)], at)
	if err != nil && (err != io.EOF || n == 0) {
		return field{}, err
	}
	head := buffer[:n]
	tag, tagLength := binary.Uvarint(head)
	if tagLength <= 0 {
		return field{}, fmt.Errorf("bad tag at byte %d", at)
	}
	f := field{number: int(tag >> 3), wire: int(tag & 7), whole: span{start: at}}
	value, valueLength := uint64(0), 0
	if f.wire == wireVarint || f.wire == wireBytes {
		value, valueLength = binary.Uvarint(head[tagLength:])
		if valueLength <= 0 {
			return field{}, errTruncated
		}
	}
	f.body.start = at + int64(tagLength)
	switch f.wire {
	case wireVarint:
		f.varint = value
		f.body.end = f.body.start + int64(valueLength)
	case wireFixed8:
		f.body.end = f.body.start + 8
	case wireFixed4:
		f.body.end = f.body.start + 4
	case wireBytes:
		f.body.start += int64(valueLength)
		if value > uint64(end) {
			return field{}, errTruncated
		}
		f.body.end = f.body.start + int64(value)
	default:
		return field{}, fmt.Errorf("bad wire type at byte %d", at)
	}
	if f.number == 0 {
		return field{}, fmt.Errorf("bad field number at byte %d", at)
	}
	if f.body.end > end {
		return field{}, errTruncated
	}
	f.whole.end = f.body.end
	return f, nil
}

// read returns the bytes of a span.
func read(r io.ReaderAt, s span) ([]byte, error) {
	b := make([]byte, s.end-s.start)
	if _, err := r.ReadAt(b, s.start); err != nil && err != io.EOF {
		return nil, err
	}
	return b, nil
}
