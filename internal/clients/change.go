package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Change is what is to become of a file.
type Change struct {
	Path          string
	Before, After []byte
	Create        bool // the file is not there yet
	Delete        bool // nothing of it is left
	Former        Former
}

// Empty says whether there is nothing to do.
func (c Change) Empty() bool {
	return !c.Delete && !c.Create && bytes.Equal(c.Before, c.After)
}

// Apply makes the change, and returns the copy that it made of the file before,
// if there was one. The file keeps its permissions, and a link stays a link.
// Nothing is done if the file is no longer as it was read.
func (c Change) Apply() (backup string, err error) {
	target, err := followLinks(c.Path)
	if err != nil {
		return "", fmt.Errorf("changing %s: %w", c.Path, err)
	}
	now, err := os.ReadFile(target)
	switch {
	case c.Create && errors.Is(err, fs.ErrNotExist):
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("changing %s: %w", c.Path, err)
	case c.Create || err != nil || !bytes.Equal(now, c.Before):
		return "", fmt.Errorf("%s has been changed by another program meanwhile: nothing was done, run this again", c.Path)
	}
	if c.Delete {
		return "", os.Remove(target)
	}
	mode := fs.FileMode(0o600)
	if c.Create {
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return "", fmt.Errorf("making the folder of %s: %w", c.Path, err)
		}
	} else {
		info, err := os.Stat(target)
		if err != nil {
			return "", fmt.Errorf("changing %s: %w", c.Path, err)
		}
		mode = info.Mode().Perm()
		if backup, err = c.keep(mode); err != nil {
			return "", fmt.Errorf("keeping a copy of %s, which was not changed: %w", c.Path, err)
		}
	}
	if err := replaceFile(target, c.After, mode); err != nil {
		return backup, fmt.Errorf("writing %s, which was not changed: %w", c.Path, err)
	}
	return backup, nil
}

// backupMark is what the name of a copy has between the file's and a number.
const backupMark = ".bak-mcp-memory-"

// backupName is the name of the n-th copy of a file, from 1.
func backupName(path string, n int) string { return fmt.Sprint(path, backupMark, n) }

// keep copies the file beside itself, under a name that is not taken.
func (c Change) keep(mode fs.FileMode) (string, error) {
	for n := 1; ; n++ {
		name := backupName(c.Path, n)
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = file.Write(c.Before)
		return name, errors.Join(err, file.Close())
	}
}

// followLinks is the file that a path leads to, even if it is not there yet.
func followLinks(path string) (string, error) {
	for range 40 {
		next, err := os.Readlink(path)
		if err != nil {
			return path, nil //nolint:nilerr // so it is no link
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(path), next)
		}
		path = next
	}
	return "", errors.New("too many links")
}

// replaceFile writes a file beside the old one, and puts it in its place.
func replaceFile(path string, data []byte, mode fs.FileMode) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // fails once it has its right name
	_, err = file.Write(data)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
