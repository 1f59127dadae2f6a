package sqlite

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// RefuseToReplace returns an error if a file of this name, which is to be something
// else than a database, would take the place of one or of a part of one.
func RefuseToReplace(name string) error {
	if isDatabase(name) {
		return fmt.Errorf("%s is a database: give another name", name)
	}
	return refuseBeside(name)
}

// refuseBeside refuses names that SQLite would take for a part of a database, and those
// beside which such a part lies.
func refuseBeside(name string) error {
	for _, suffix := range besides {
		if of, found := strings.CutSuffix(name, suffix); found {
			return fmt.Errorf("%s would be taken for a part of a database %s: give another name", name, of)
		}
		if _, err := os.Stat(name + suffix); err == nil {
			return fmt.Errorf("%s lies there: %s is a database in use, or was; give another name", name+suffix, name)
		}
	}
	return nil
}

// databaseHeader is what every database begins with; see "The Database Header" in
// SQLite's description of its file format.
const databaseHeader = "SQLite format 3\x00"

// isDatabase reports whether there is a regular file that begins as a database does.
func isDatabase(name string) bool {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	header := make([]byte, len(databaseHeader))
	_, err = io.ReadFull(f, header)
	return err == nil && string(header) == databaseHeader
}
