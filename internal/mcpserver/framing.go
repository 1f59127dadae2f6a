package mcpserver

import (
	"bufio"
	"errors"
	"io"
)

// errLineTooLong says that a line was longer than the limit. It was skipped.
var errLineTooLong = errors.New("line too long")

// lineReader splits input into lines, which may end in LF, CRLF or the end of
// the input, and holds at most one of them in memory.
type lineReader struct {
	in  *bufio.Reader
	max int // bytes of a line, without its end
}

func newLineReader(in io.Reader, maxLine int) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, 64<<10), max: maxLine}
}

// next returns the next line. After errLineTooLong it can be called again; any
// other error is the end.
func (r *lineReader) next() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.in.ReadSlice('\n')
		if len(line)+len(part) > r.max+len("\r\n") {
			line, tooLong = nil, true
		}
		if !tooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case tooLong && (err == nil || errors.Is(err, io.EOF)):
			return nil, errLineTooLong
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		default:
			return line, err
		}
	}
}
