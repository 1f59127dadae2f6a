package sqlite

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	// keptBackups is how many copies made before migrations are kept.
	keptBackups = 5
	// backupTime is how the time stands in names of copies.
	backupTime = "20060102T150405Z"
)

// migrationBackup is how the name of a copy made before a migration goes on
// behind that of the database: schema version, time, and a
// number where several were made within a second.
var migrationBackup = regexp.MustCompile(`^\.bak-(?:unversioned|[0-9]+)-([0-9]{8}T[0-9]{6}Z(?:-[0-9]+)?)$`)

// dropOldBackups removes all but the newest copies made before migrations of the
// database at path, and no file of another name. What cannot be removed is tried
// again at the next migration.
func dropOldBackups(path string) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return
	}
	type backup struct{ name, time string }
	var backups []backup
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), filepath.Base(path))
		if found := migrationBackup.FindStringSubmatch(rest); ok && found != nil && e.Type().IsRegular() {
			backups = append(backups, backup{e.Name(), found[1]})
		}
	}
	slices.SortFunc(backups, func(a, b backup) int { return cmp.Or(cmp.Compare(b.time, a.time), cmp.Compare(b.name, a.name)) })
	for _, old := range backups[min(keptBackups, len(backups)):] {
		_ = os.Remove(filepath.Join(filepath.Dir(path), old.name))
	}
}
