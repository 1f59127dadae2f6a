package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Backup is a copy of a database that was made.
type Backup struct {
	Path string `json:"file"`
	Size int64  `json:"bytes"`
	Summary
}

// BackupOptions are what BackUp takes besides the paths.
type BackupOptions struct {
	Replace  bool // a file of the name may be replaced
	Progress CopyProgress
}

// BackUp copies the database at path, as it is at one moment, to a file, which
// gets its name when it is proven to be sound. Others may write meanwhile: they do not
// wait for it, nor it for them. The database stays of the schema that it is of.
func BackUp(ctx context.Context, path, name string, o BackupOptions) (Backup, error) {
	if err := existing(path); err != nil {
		return Backup{}, err
	}
	if err := o.free(path, name); err != nil {
		return Backup{}, err
	}
	from, err := openSession(path, plain)
	if err != nil {
		return Backup{}, openError(path, err)
	}
	defer from.Close()
	p, err := copyBeside(ctx, from, name, o.Progress.of("backing up"))
	if err != nil {
		return Backup{}, copyError(path, name, err)
	}
	defer p.remove()
	if err := o.free(path, name); err != nil { // it may have come meanwhile
		return Backup{}, err
	}
	if err := p.rename(name); err != nil {
		return Backup{}, copyError(path, name, err)
	}
	info, err := os.Stat(name)
	if err != nil {
		return Backup{}, copyError(path, name, err)
	}
	return Backup{name, info.Size(), p.summary}, nil
}

// free refuses the name of a file that must not be replaced.
func (o BackupOptions) free(path, name string) error {
	if same(path, name) {
		return fmt.Errorf("%s is the memory itself: give the backup another name", name)
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder: give the name of a file", name)
	case err == nil && !o.Replace:
		return fmt.Errorf("%s exists already: give another name, or --force to replace it", name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fileError(name, err)
	}
	return refuseBeside(name)
}

// existing refuses the path of a database that is not there, of which the error is
// ErrNoDatabase, too.
func existing(path string) error {
	if path == memoryPath {
		return &OpenError{Path: path, Reason: "it has no file", Err: ErrNoDatabase}
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &OpenError{Path: path, Reason: "there is no such file", Err: ErrNoDatabase}
	case err != nil:
		return fileError(path, err)
	case info.IsDir():
		return &OpenError{Path: path, Reason: "it is a folder"}
	case !info.Mode().IsRegular():
		return &OpenError{Path: path, Reason: "it is not a regular file"}
	case info.Size() == 0:
		return &OpenError{Path: path, Reason: "it is empty", Err: ErrNoDatabase}
	}
	return nil
}

// same reports whether two names are of one file.
func same(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// copyError says why a database could not be copied: for its own sake, or the
// file's.
func copyError(path, name string, err error) error {
	err = WriteError(name, err)
	_, full := errors.AsType[*FullError](err)
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok && !full {
		return fmt.Errorf("cannot write %s: %w", name, pathErr.Err)
	}
	return openError(path, err)
}
