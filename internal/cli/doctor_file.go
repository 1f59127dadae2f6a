package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mcp-memory/internal/model"
	"mcp-memory/internal/partfile"
	"mcp-memory/internal/sqlite"
)

// file looks at the file itself and reports whether there is one to look into.
func (d *doctor) file() bool {
	const name = "database"
	lone := sqlite.FindLoneLog(d.db)
	info, err := os.Stat(d.db)
	switch {
	case d.db == ":memory:":
		d.ok(name, "in memory: there is no file")
		return false
	case lone != nil:
		d.fail(name, lone.Do, "%s: %s", d.db, lone.What)
		return false
	case errors.Is(err, fs.ErrNotExist) && d.dbNamed != "":
		d.fail(name, "correct "+d.dbNamed+", or start a server with it: that makes the file", "there is no memory at %s", d.db)
		return false
	case errors.Is(err, fs.ErrNotExist):
		d.warn(name, "start a server: it makes the file", "%s is not there yet", d.db)
		return false
	case err != nil:
		d.fail(name, "give it to the user who runs the server", "%s cannot be looked at: %v", d.db, reasonOf(err))
		return false
	case info.IsDir():
		d.fail(name, "set --db to a file", "%s is a folder", d.db)
		return false
	case !info.Mode().IsRegular():
		d.fail(name, "set --db to a file", "%s is not a regular file", d.db)
		return false
	}
	if err := tryOpen(d.db, os.O_RDONLY); err != nil {
		d.fail(name, "give it to the user who runs the server", "%s cannot be read: %v", d.db, reasonOf(err))
		return false
	}
	if err := tryOpen(d.db, os.O_RDWR); err != nil {
		d.fail(name, "give it to the user who runs the server", "%s cannot be written: %v", d.db, reasonOf(err))
	} else if err := folderWritable(filepath.Dir(d.db)); err != nil {
		d.fail(name, "let the user who runs the server write there: SQLite makes files beside the database", "the folder %s cannot be written: %v", filepath.Dir(d.db), err)
	} else {
		d.ok(name, "%s, %s", d.db, model.FormatSize(info.Size()))
	}
	return true
}

// tryOpen opens a file and closes it again.
func tryOpen(path string, flag int) error {
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// reasonOf is an error without the name of the call and the file.
func reasonOf(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

// modeFix is a file or folder with permissions that are too wide.
type modeFix struct {
	path     string
	is, must fs.FileMode
}

func (m modeFix) apply() error { return os.Chmod(m.path, m.must) }

func (m modeFix) String() string {
	return fmt.Sprintf("permissions of %s are %#o now, were %#o", m.path, m.must, m.is)
}

// neighbours looks at permissions and at what lies beside the file.
func (d *doctor) neighbours() {
	beside := filesOf(d.db)
	d.permissions(beside)
	d.fileSystem()
	users, looked := usersOf(d.db)
	const name = "processes"
	switch {
	case !looked:
		d.ok(name, "not looked at on this system")
	case len(users) == 0:
		d.ok(name, "no other has the database open")
	default:
		d.ok(name, "%s the database open: %s", plural(len(users), "other has", "others have"), strings.Join(users, ", "))
	}
	d.leftovers(beside, looked && len(users) == 0)
}

// usersOfAny lists the other processes that have a database or its log open, as
// far as known: who has a database that was moved away still has the log.
func usersOfAny(db string) (users []string) {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		more, _ := usersOf(db + suffix)
		users = append(users, more...)
	}
	slices.Sort(users)
	return slices.Compact(users)
}

// filesOf lists a database's file and those that SQLite and we put beside it.
func filesOf(db string) []string {
	files := []string{db}
	entries, _ := os.ReadDir(filepath.Dir(db))
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), filepath.Base(db))
		if ours && (slices.Contains([]string{"-wal", "-shm", "-journal"}, rest) || strings.HasPrefix(rest, ".bak-")) {
			files = append(files, filepath.Join(filepath.Dir(db), e.Name()))
		}
	}
	return files
}

// permissions looks for files that others can read, and for a folder in which
// they can put others.
func (d *doctor) permissions(files []string) {
	const name = "permissions"
	if runtime.GOOS == "windows" {
		d.ok(name, "not looked at on this system")
		return
	}
	var wide []string
	for _, path := range files {
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
			d.modes = append(d.modes, modeFix{path, info.Mode().Perm(), 0o600})
			wide = append(wide, fmt.Sprintf("%s (%#o)", filepath.Base(path), info.Mode().Perm()))
		}
	}
	if len(wide) > 0 {
		d.warn(name, d.fixCommand(), "not only you can read or write: %s", strings.Join(wide, ", "))
	}
	folder := filepath.Dir(d.db)
	info, err := os.Stat(folder)
	open := err == nil && info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0
	if open {
		mode := info.Mode().Perm()
		d.modes = append(d.modes, modeFix{folder, mode, mode &^ 0o022})
		d.warn(name, d.fixCommand(), "not only you can write in the folder %s (%#o)", folder, mode)
	}
	if len(wide) == 0 && !open {
		d.ok(name, "only you can read the files")
	}
}

func (d *doctor) fileSystem() {
	const name = "file system"
	kind, remote, known := fileSystemOf(d.db)
	switch {
	case !known:
		d.ok(name, "not looked at on this system")
	case remote:
		d.warn(name, "keep the database on a local disk (--db): with several computers at it, it will be damaged",
			"the database is on %s, where SQLite's locks cannot be relied on", kind)
	default:
		d.ok(name, "%s", kind)
	}
}

// leftovers looks at copies, and at files of servers that did not end well.
func (d *doctor) leftovers(files []string, unused bool) {
	const name = "leftovers"
	var copies, size int64
	said := false
	for _, path := range files[1:] {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		switch rest := strings.TrimPrefix(path, d.db); {
		case rest == ".bak-part" || rest == ".bak-part-journal":
			said = true
			d.warn(name, "nothing: the next migration removes it; delete it if you need the room", "%s is of a copy that broke off (%s)", filepath.Base(path), model.FormatSize(info.Size()))
		case strings.HasPrefix(rest, ".bak-"):
			copies++
			size += info.Size()
		case rest == "-journal" && unused && info.Size() > 0:
			said = true
			d.warn(name, "nothing: the next server that starts undoes with it what is unfinished; never delete it", "%s is of a program that was interrupted while it wrote", filepath.Base(path))
		case rest == "-wal" && unused && info.Size() > 0:
			said = true
			d.warn(name, "nothing: the next server that starts takes it in; never delete it", "%s holds changes of a server that did not end by itself, or had no room to", filepath.Base(path))
		case (rest == "-wal" || rest == "-shm" && sizeOf(d.db+"-wal") == 0) && unused:
			said = true
			d.warn(name, "nothing: the next server that ends removes it", "%s holds nothing, and was left by a program that did not end by itself, or had no room to", filepath.Base(path))
		}
	}
	for _, path := range partfile.LeftIn(filepath.Dir(d.db)) {
		if info, err := os.Stat(path); err == nil {
			said = true
			d.parts = append(d.parts, path)
			d.warn(name, d.fixCommand(), "%s is of a backup, export or restore that was killed (%s)", filepath.Base(path), model.FormatSize(info.Size()))
		}
	}
	switch {
	case copies > 0:
		d.ok(name, "%s of the database as it was, %s: delete those that you do not want back", plural(int(copies), "copy", "copies"), model.FormatSize(size))
	case !said:
		d.ok(name, "none")
	}
}

// copiesOf lists the copies of a database that were kept, the last one last.
func copiesOf(db string) (copies []string) {
	for _, path := range filesOf(db)[1:] {
		if rest := strings.TrimPrefix(path, db); strings.HasPrefix(rest, ".bak-") && !strings.HasPrefix(rest, ".bak-part") {
			copies = append(copies, path)
		}
	}
	slices.SortFunc(copies, func(a, b string) int { return cmp.Compare(stampOf(a), stampOf(b)) })
	return copies
}

// stampOf is the time in the name of a copy.
func stampOf(path string) string { return path[strings.LastIndex(path, "-")+1:] }

// plural writes a number with the words for one or for more.
func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + more
}
