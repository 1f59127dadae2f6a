package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// LoneLog is the log of a database whose file is gone.
type LoneLog struct {
	What string // is wrong
	Do   string // what the user can do about it
}

// logHeader is how long a log is in bytes that holds nothing.
const logHeader = 32

// FindLoneLog looks for the log of a database at path where no file is, or an empty one.
// It is nil where there is none that matters. SQLite would delete it when a new database
// is opened there, and with it changes that it alone holds; and a program that has it open
// would go on to use its index together with the new database.
func FindLoneLog(path string) *LoneLog {
	path = realPath(path)
	if path == memoryPath || !isWithoutContent(path) {
		return nil
	}
	const begin = "; to begin a new memory here, move the log away"
	name := filepath.Base(path) + "-wal"
	info, err := os.Stat(path + "-wal")
	var found *LoneLog
	switch {
	case logInUse(path): // in this process it is no other's
		found = &LoneLog{
			"its file is gone, but a program that had it open still uses its log " + name,
			"end all AI clients that use it, then put the file back, or move " + name + " to where it is now, with the name of the file and -wal behind it" + begin,
		}
	case err == nil && info.Size() > logHeader:
		found = &LoneLog{
			"its file is gone, but its log " + name + " is still here, with changes that may be nowhere else",
			"put the file back, or move " + name + " to where it is now, with the name of the file and -wal behind it" + begin,
		}
	default:
		return nil
	}
	if !isWithoutContent(path) {
		return nil // another program was just about to make it
	}
	return found
}

// isWithoutContent reports whether there is no file, or one in which nothing is.
func isWithoutContent(path string) bool {
	info, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// refuseLoneLog returns an error if there is one.
func refuseLoneLog(path string) error {
	if found := FindLoneLog(path); found != nil {
		return &OpenError{Path: path, Reason: found.What + ": " + found.Do}
	}
	return nil
}
