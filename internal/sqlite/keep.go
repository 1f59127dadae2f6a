package sqlite

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// keptBackups is how many copies made before migrations and repairs are kept.
	keptBackups = 5
	// backupTime is how the time stands in names of copies.
	backupTime = "20060102T150405Z"
)

// backupEnding is how the name of a copy made before a migration or a repair goes
// on behind that of the database: schema version, time, and a number where several
// were made within a second.
var backupEnding = regexp.MustCompile(`^\.bak-(?:unversioned|[0-9]{1,18})-([0-9]{8}T[0-9]{6}Z)(?:-([0-9]{1,9}))?$`)

// keptBackup is a copy made before a migration or a repair.
type keptBackup struct {
	path, time string
	number     int // among those of its second
}

// listBackups lists the copies of the database at path, the newest first, and no
// file of another name.
func listBackups(path string) (backups []keptBackup) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), filepath.Base(path))
		found := backupEnding.FindStringSubmatch(rest)
		if !ok || found == nil || !e.Type().IsRegular() {
			continue
		}
		number, _ := strconv.Atoi(found[2]) // the first has none
		backups = append(backups, keptBackup{filepath.Join(filepath.Dir(path), e.Name()), found[1], number})
	}
	slices.SortFunc(backups, func(a, b keptBackup) int {
		return cmp.Or(cmp.Compare(b.time, a.time), cmp.Compare(b.number, a.number), cmp.Compare(b.path, a.path))
	})
	return backups
}

// backupName is that of a copy that is kept. No other copy has it, and those of the
// same second have lower numbers.
func (m *migration) backupName() string {
	now, number := time.Now().UTC().Format(backupTime), 1
	for _, b := range listBackups(m.path) {
		if b.time == now {
			number = max(b.number, 1) + 1
			break
		}
	}
	base := fmt.Sprintf("%s.bak-%v-%s", m.path, m.state, now)
	for name := base; ; number++ {
		if number > 1 {
			name = fmt.Sprintf("%s-%d", base, number)
		}
		if _, err := os.Lstat(name); err != nil {
			return name
		}
	}
}

// dropOldBackups removes all but the newest copies of the database at path, and
// never the one just made, which others seem newer than where a clock was set back.
// What cannot be removed is tried again the next time.
func dropOldBackups(path, made string) {
	others := slices.DeleteFunc(listBackups(path), func(b keptBackup) bool { return filepath.Base(b.path) == filepath.Base(made) })
	for _, old := range others[min(keptBackups-1, len(others)):] {
		_ = os.Remove(old.path)
	}
}
