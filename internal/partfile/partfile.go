package partfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
)

// infix stands between the name that a file is to get and a random number.
const infix = ".mcp-memory-part-"

// ours is the name of a part.
var ours = regexp.MustCompile(`^(.+)` + regexp.QuoteMeta(infix) + `[0-9]{1,10}$`)

// besides are the files that SQLite keeps beside a database.
var besides = []string{"-journal", "-wal", "-shm"}

// Create makes an empty file in the folder of path that is to get this name, and
// that only its owner may read. It is held until it is closed. What killed
// programs have left of files that were to get this name is removed.
func Create(path string) (*os.File, error) {
	RemoveLeft(path)
	for {
		f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+infix+"*") // mode 0600
		if err != nil {
			return nil, err
		}
		_ = hold(f) // where that cannot be done, nobody else does, either
		if stillThere(f) {
			return f, nil
		}
		_ = f.Close() // somebody took it for left over before it was held
	}
}

// Finish gives a complete file its name, for good, and closes it.
func Finish(f *os.File, name string) error {
	err := f.Sync()
	if runtime.GOOS == "windows" { // which renames no open file; elsewhere it is held to the end
		err = errors.Join(err, f.Close())
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	_ = f.Close() // what was written is on disk
	if err != nil {
		return err
	}
	syncNames(name)
	return nil
}

// FinishNew is Finish, but returns an fs.ErrExist, and goes on to hold the file, if
// there is one of this name.
func FinishNew(f *os.File, name string) error {
	if err := f.Sync(); err != nil {
		return err
	}
	err := os.Link(f.Name(), name)
	switch {
	case errors.Is(err, fs.ErrExist):
		return err
	case err != nil: // there are no links here
		return Finish(f, name)
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
	syncNames(name)
	return nil
}

// syncNames has the system write the names in a file's folder to disk, where it can.
func syncNames(path string) {
	if folder, err := os.Open(filepath.Dir(path)); err == nil {
		_ = folder.Sync()
		_ = folder.Close()
	}
}

// RemoveLeft removes the parts of files that were to get this name, and that no program
// is making any more.
func RemoveLeft(path string) {
	for _, left := range LeftIn(filepath.Dir(path)) {
		if nameOf(left) == filepath.Base(path) {
			Remove(left)
		}
	}
}

// LeftIn lists the parts in a folder that no program is making any more.
func LeftIn(folder string) (left []string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if e.Type().IsRegular() && nameOf(path) != "" && isLeft(path) {
			left = append(left, path)
		}
	}
	return left
}

// nameOf is the name that a part was to get; "" of what is no part.
func nameOf(path string) string {
	if found := ours.FindStringSubmatch(filepath.Base(path)); found != nil {
		return found[1]
	}
	return ""
}

// Remove removes a part with what SQLite has left beside it, unless somebody holds it, and
// reports whether it did.
func Remove(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	if !hold(f) {
		return false
	}
	for _, suffix := range besides {
		_ = os.Remove(path + suffix)
	}
	return os.Remove(path) == nil
}

// isLeft reports whether nobody holds a part.
func isLeft(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return hold(f)
}

func stillThere(f *os.File) bool {
	now, err := os.Stat(f.Name())
	if err != nil {
		return false
	}
	mine, err := f.Stat()
	return err == nil && os.SameFile(now, mine)
}
