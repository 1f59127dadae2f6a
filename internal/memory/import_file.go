package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"mcp-memory/internal/paths"
)

// maxSourceSize is the size in bytes of the largest file that is imported.
const maxSourceSize = 256 << 20

// importFile reads a file as long as it was when it was opened, until ctx ends.
// Files of the kernel have no length: to read them may wait, or never end.
type importFile struct {
	*io.SectionReader
	file *os.File
	ctx  context.Context
}

func (f *importFile) Read(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.SectionReader.Read(p)
}

func (f *importFile) Close() error { return f.file.Close() }

// openSource opens a regular file of bearable size. What is no file is not even
// opened, since that may wait, or do something to a device; and as it may have
// become none in the meantime, what was opened is looked at once more.
func openSource(ctx context.Context, path string) (*importFile, error) {
	expanded, err := paths.Expand(path)
	if err != nil {
		return nil, badSource("%v", err)
	}
	info, err := os.Stat(expanded)
	if err != nil {
		return nil, unreadable(path, expanded, err)
	}
	if err := checkSource(expanded, info); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(expanded, os.O_RDONLY|openWithoutWaiting, 0)
	if err != nil {
		return nil, unreadable(path, expanded, err)
	}
	info, err = file.Stat()
	if err != nil {
		err = unreadable(path, expanded, err)
	} else {
		err = checkSource(expanded, info)
	}
	if err == nil && info.Size() == 0 {
		err = checkEmpty(expanded, file)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &importFile{io.NewSectionReader(file, 0, info.Size()), file, ctx}, nil
}

func checkSource(path string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return badSource("%s is a folder, not a file", path)
	case !info.Mode().IsRegular():
		return badSource("%s is not a regular file", path)
	case info.Size() > maxSourceSize:
		return badSource("%s has %d bytes, more than the %d that are taken", path, info.Size(), maxSourceSize)
	}
	return nil
}

// checkEmpty refuses what claims to be empty and is not: files of the kernel.
func checkEmpty(path string, file *os.File) error {
	n, err := file.ReadAt(make([]byte, 1), 0)
	if n == 0 && errors.Is(err, io.EOF) {
		return nil
	}
	return badSource("%s is no file that can be read to its end", path)
}

// unreadable says why a file cannot be opened, and names it as it was given, or as
// that was understood.
func unreadable(path, expanded string, err error) error {
	if strings.Contains(path, expanded) {
		expanded = path
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return badSource("there is no file %s", expanded)
	case errors.Is(err, fs.ErrPermission):
		return badSource("no permission to read %s", expanded)
	}
	return badSource("%s is not the path of a file that can be read", path)
}

// badSource says what is wrong with the path of a file to import.
func badSource(format string, args ...any) error {
	return &InputError{Path: "source_path", Reason: fmt.Sprintf(format, args...)}
}
