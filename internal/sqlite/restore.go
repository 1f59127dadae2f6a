package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/partfile"
)

// ErrDeclined says that the user does not want what was asked for.
var ErrDeclined = errors.New("nothing was changed")

// InUseError is a database that other programs have open.
type InUseError struct {
	Path  string
	Users []string // which processes, as far as known
}

func (e *InUseError) Error() string {
	users := "another program"
	if len(e.Users) > 0 {
		users = strings.Join(e.Users, ", ")
	}
	return fmt.Sprintf("the memory database %s is in use by %s: nothing was changed. "+
		"Close the AI clients that use it, as each runs an mcp-memory, and try again", e.Path, users)
}

// Restored is what was restored.
type Restored struct {
	Path string `json:"file"`
	From string `json:"from"`
	Kept string `json:"kept_as,omitempty"` // the copy of what was there before; empty if there was nothing
	Summary
}

// RestoreOptions are what Restore takes besides the paths.
type RestoreOptions struct {
	Confirm  func(Summary) bool // asked before anything is changed; nil is yes
	Progress CopyProgress
}

// Restore replaces the database at path by the one in the file name, which must
// be a sound memory of this schema or an older one, and is left as it is. What
// was there is kept under another name beside it. If the program ends in between, the
// database is the old one or the new one. It returns an *InUseError while
// others have the database open.
func Restore(ctx context.Context, path, name string, o RestoreOptions) (Restored, error) {
	if err := existing(name); err != nil {
		return Restored{}, err
	}
	if path == memoryPath {
		return Restored{}, existing(path)
	}
	if same(path, name) {
		return Restored{}, fmt.Errorf("%s is the memory itself: give the file of a backup", name)
	}
	path = realPath(path) // a link to the database stays one
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return Restored{}, fileError(path, err)
	}
	p, err := takeCopy(ctx, path, name, o.Progress)
	if err != nil {
		return Restored{}, err
	}
	defer p.remove()
	if o.Confirm != nil && !o.Confirm(p.summary) {
		return Restored{}, ErrDeclined
	}
	kept, err := p.replace(ctx, path, o.Progress)
	if err != nil {
		return Restored{}, openError(path, WriteError(path, err))
	}
	return Restored{path, name, kept, p.summary}, nil
}

// takeCopy copies the backup beside the database, if it may be restored.
func takeCopy(ctx context.Context, path, name string, report CopyProgress) (*part, error) {
	from, err := openSession(name, onlooker)
	if err != nil {
		return nil, openError(name, err)
	}
	defer from.Close()
	p, err := copyBeside(ctx, from, path, report.of("checking"))
	if err != nil {
		return nil, copyError(name, path, err)
	}
	if err = recognise(ctx, p.path); err == nil && p.summary.empty {
		err = &OpenError{Path: name, Reason: "it is empty"}
	}
	if err != nil {
		p.remove()
		if refused, ok := errors.AsType[*OpenError](err); ok { // of the copy
			refused.Path = name
		}
		return nil, openError(name, err)
	}
	return p, nil
}

// replace puts the copy in the place of what is at path.
func (p *part) replace(ctx context.Context, path string, report CopyProgress) (kept string, err error) {
	if logInUse(path) && !inUse(path) { // by a program whose database was moved away
		return "", &InUseError{Path: path}
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		kept, err := p.install(path)
		if !errors.Is(err, fs.ErrExist) {
			return kept, err
		} // else a server has made it meanwhile
	}
	if FindLoneLog(path) != nil {
		return p.supersede(path)
	}
	// Before it is switched to WAL mode.
	if refused, ok := errors.AsType[*OpenError](recognise(ctx, path)); ok {
		return "", refused
	}
	present, err := openSession(path, sole)
	if err == nil {
		defer present.Close()
		kept, err = p.overwrite(ctx, present, report)
		err = errors.Join(err, present.Close())
	}
	switch {
	case hasCode(err, sqlite3.ErrBusy), hasCode(err, sqlite3.ErrLocked):
		return "", &InUseError{Path: path}
	case errors.Is(translate(err), memory.ErrCorrupt) && kept == "":
		if inUse(path) {
			return "", &InUseError{Path: path}
		}
		return p.supersede(path)
	}
	return kept, err
}

// overwrite makes the present database hold what the copy does, by a
// transaction of SQLite's. A new file in the place of the old one would leave
// programs that just open the database, and wait, with the old one.
func (p *part) overwrite(ctx context.Context, present *session, report CopyProgress) (kept string, err error) {
	if err := p.fit(ctx, present); err != nil {
		return "", err
	}
	if kept, err = keep(ctx, present, report); err != nil {
		return "", err
	}
	from, err := openSession(p.path, plain)
	if err != nil {
		return "", errors.Join(err, removeIfAny(kept))
	}
	defer from.Close()
	err = from.snapshot(ctx, func() error { return present.copyPages(ctx, from, report.of("restoring")) })
	if err != nil {
		return "", errors.Join(err, removeIfAny(kept))
	}
	return kept, run(ctx, present, checkpoint)
}

// fit gives the copy the page size of the present database, which cannot get
// another in WAL mode.
func (p *part) fit(ctx context.Context, present *session) error {
	wanted, err := number(ctx, present, "PRAGMA page_size")
	if err != nil {
		return err
	}
	own, err := openSession(p.path, plain)
	if err != nil {
		return err
	}
	defer own.Close()
	size, err := number(ctx, own, "PRAGMA page_size")
	if err != nil || size == wanted {
		return err
	}
	return errors.Join(run(ctx, own, fmt.Sprintf("PRAGMA page_size = %d", wanted)), run(ctx, own, "VACUUM"))
}

// keep copies the present database, which may be damaged or of a newer schema,
// under a name of its own.
func keep(ctx context.Context, present *session, report CopyProgress) (kept string, err error) {
	state, err := inspect(ctx, present, present.path)
	if _, newer := errors.AsType[*NewerError](err); err != nil && !newer {
		return "", err
	}
	if state.empty {
		return "", nil
	}
	p, err := newPart(present.path)
	if err != nil {
		return "", err
	}
	defer p.remove()
	err = present.snapshot(ctx, func() error { return p.fill(ctx, present, report.of("keeping what was there")) })
	if err != nil {
		return "", err
	}
	kept = nameForKept(present.path)
	return kept, p.rename(kept)
}

// install gives the copy the name of a database that is missing. What lies
// beside it is kept first: SQLite would take a -wal file for the new one's. If the
// database is there after all, it returns an fs.ErrExist.
func (p *part) install(path string) (kept string, err error) {
	if kept, err = keepFiles(path); err != nil {
		return "", err
	}
	return kept, partfile.FinishNew(p.file, path)
}

// supersede gives the copy the name of a file that is no database, or damaged so
// that nobody can open it. It is kept first, with what lies beside it.
func (p *part) supersede(path string) (kept string, err error) {
	if kept, err = keepFiles(path); err != nil {
		return "", err
	}
	return kept, p.rename(path)
}

// keepFiles keeps the files of a database as they are, and takes those beside it
// away. It returns the name of the first that was kept.
func keepFiles(path string) (kept string, err error) {
	name := nameForKept(path)
	for _, suffix := range append([]string{""}, besides...) {
		err := os.Link(path+suffix, name+suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			err = copyFile(path+suffix, name+suffix)
		}
		if err != nil {
			return "", err
		}
		if kept == "" {
			kept = name + suffix
		}
	}
	for _, suffix := range besides {
		if err := removeIfAny(path + suffix); err != nil {
			return "", err
		}
	}
	return kept, nil
}

// removeIfAny removes a file, if there is one.
func removeIfAny(name string) error {
	if err := os.Remove(name); name != "" && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// nameForKept is a name that is free.
func nameForKept(path string) string {
	name := path + ".before-restore-" + time.Now().UTC().Format(backupTime)
	for i := 2; ; i++ {
		free := name
		if i > 2 {
			free = fmt.Sprintf("%s-%d", name, i-1)
		}
		if _, err := os.Lstat(free); errors.Is(err, fs.ErrNotExist) {
			return free
		}
	}
}

// copyFile copies a file where links cannot be made.
func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o600)
}
