package evaluation

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// maxLine is the longest line of a file that is read, in bytes.
const maxLine = 64 << 20

// position is a line of a file, for errors.
type position struct {
	file string
	line int
}

// wrong returns an error about what stands at the position.
func (p position) wrong(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", p.file, p.line, fmt.Errorf(format, args...))
}

// eachLine calls f with every line of a file that is not blank, until one
// fails. The file is dir's, which lies at path.
func eachLine(dir fs.FS, path, name string, f func(at position, line []byte) error) error {
	at := position{file: shown(path, name)}
	file, err := dir.Open(name)
	if err != nil {
		if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
			err = pathErr.Err
		}
		return fmt.Errorf("opening %s: %w", at.file, err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		at.line++
		line := lines.Bytes()
		if at.line == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := f(at, line); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading %s after line %d: %w", at.file, at.line, err)
	}
	return nil
}

// shown is how an error calls a file: path itself when it is that file.
func shown(path, name string) string {
	if filepath.Base(path) == name {
		return path
	}
	return filepath.Join(path, filepath.FromSlash(name))
}

// eachRecord is eachLine of a file of JSON objects.
func eachRecord[T any](dir fs.FS, path, name string, f func(at position, record T) error) error {
	return eachLine(dir, path, name, func(at position, line []byte) error {
		var record T
		if err := json.Unmarshal(line, &record); err != nil {
			return at.wrong("%s", reason(err))
		}
		return f(at, record)
	})
}

// reason says what is wrong with a line, in terms of the file.
func reason(err error) string {
	var mistyped *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &mistyped):
		return "not a JSON object"
	case mistyped.Field == "":
		return fmt.Sprintf("a JSON %s where an object is expected", mistyped.Value)
	default:
		return fmt.Sprintf("%s must not be a JSON %s", mistyped.Field, mistyped.Value)
	}
}
