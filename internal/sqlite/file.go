package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// realPath follows links to where a file is, or would be: SQLite names the files beside
// a database by that.
func realPath(path string) string {
	if path == memoryPath {
		return path
	}
	for range mostLinks {
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(folder, filepath.Base(path))
	}
	return path
}

// mostLinks ends what links in a circle would never.
const mostLinks = 40

// makeFile makes the folders and the file of a database where they are
// missing, readable by their owner alone. SQLite gives the files beside it the
// same mode. An existing file is not even opened: closing it would drop the
// locks that other connections of this process hold on it, and opening a pipe
// waits for its other end.
func makeFile(path string) error {
	if path == memoryPath {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return &OpenError{Path: path, Reason: "it is a folder"}
	case err == nil && !info.Mode().IsRegular():
		return &OpenError{Path: path, Reason: "it is not a regular file"}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fileError(path, err)
	}
	if err := refuseLoneLog(path); err != nil {
		return err
	}
	if err == nil {
		return checkWritable(path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fileError(path, err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		if _, err := os.Stat(path); err == nil {
			return nil // another process was faster
		}
		// SQLite would make it readable by others.
		return &OpenError{Path: path, Reason: "it is a link to a file that does not exist"}
	}
	if err != nil {
		return fileError(path, err)
	}
	return file.Close()
}

// findFile finds the file of a database, which must be there.
func findFile(path string) error {
	if err := lookable(path); err != nil {
		return err
	}
	return checkWritable(path)
}

// checkWritable refuses a file that may not be read and written, or in whose folder no
// files can be made. SQLite would find out as well, but leave a -shm file
// behind that may not be written either, and is in the way when the file may be.
func checkWritable(path string) error {
	for _, one := range []struct{ what, path string }{{"the file", path}, {"its folder", filepath.Dir(path)}} {
		if err := readable(one.path); err != nil {
			return &OpenError{Path: path, Reason: one.what + " cannot be read: " + err.Error(), Err: err}
		}
		if err := writable(one.path); err != nil {
			return &OpenError{Path: path, Reason: one.what + " cannot be written: " + err.Error(), Err: err}
		}
	}
	return nil
}

// fileError says why the operating system refuses, without the name of the call.
func fileError(path string, err error) error {
	reason := err.Error()
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		reason = pathErr.Err.Error()
		if pathErr.Path != path {
			reason = pathErr.Path + ": " + reason
		}
	}
	return &OpenError{Path: path, Reason: reason, Err: err}
}
