package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// nobody is the user id that has no rights, by convention.
const nobody = 65534

// refusal is a place where no memory can be kept.
type refusal struct {
	what    string
	prepare func(folder, db string) error
	says    string // a pattern for the line
}

var refusals = []refusal{
	{"a folder without permission to write", func(folder, _ string) error {
		return os.Chmod(folder, 0o555)
	}, `permission denied`},
	{"a file without permission to write", func(_, db string) error {
		return makeMemory(db, 0o444)
	}, `cannot be written`},
	{"a file and folder without permission to write", func(folder, db string) error {
		return errors.Join(makeMemory(db, 0o444), os.Chmod(folder, 0o555))
	}, `cannot be written`},
	{"a file that may be written in a folder that may not", func(folder, db string) error {
		return errors.Join(makeMemory(db, 0o666), os.Chmod(folder, 0o555))
	}, `cannot be written`},
	{"a file without any permission", func(_, db string) error {
		return makeMemory(db, 0o000)
	}, `the file cannot be read`},
	{"a folder in place of the file", func(_, db string) error {
		return os.Mkdir(db, 0o755)
	}, `it is a folder`},
	{"a file that is no database", func(_, db string) error {
		return errors.Join(os.WriteFile(db, []byte(strings.Repeat("once upon a time ", 1_000)), 0o600), os.Chmod(db, 0o666))
	}, `not a database`},
}

// memoryFile is a small memory, to be copied.
var memoryFile []byte

func makeMemory(db string, mode os.FileMode) error {
	return errors.Join(os.WriteFile(db, memoryFile, 0o600), os.Chmod(db, mode))
}

// readonly starts servers where they may not write. Each must end with exit code
// 1 and one line that says why, and leave everything as it is.
func (r *run) readonly(ctx context.Context, _ clock) error {
	if err := r.makeMemoryFile(ctx); err != nil {
		return err
	}
	user := uint32(0)
	if os.Geteuid() == 0 {
		user = nobody // root may write everything
		var err error
		if r.Program, err = r.publicCopy(); err != nil {
			return err
		}
	}
	for _, place := range refusals {
		db, err := r.newDatabase()
		if err != nil {
			return err
		}
		folder := filepath.Dir(db)
		if err := errors.Join(os.Chmod(folder, 0o777), place.prepare(folder, db)); err != nil {
			return err
		}
		if err := r.refuses(setup{db: db, user: user}, place.what, place.says); err != nil {
			return err
		}
		if err := os.Chmod(folder, 0o700); err != nil {
			return err
		}
	}
	if err := r.readOnlyDisk(); err != nil {
		return err
	}
	return r.losePermission(ctx, user)
}

// makeMemoryFile has a server make a memory.
func (r *run) makeMemoryFile(ctx context.Context) error {
	db, err := r.newDatabase()
	if err != nil {
		return err
	}
	v, err := r.serve(ctx, setup{db: db})
	if err != nil {
		return err
	}
	_, err = v.call(ctx, "create_entities", map[string]any{"entities": []newEntity{{Name: "kept", Observations: []string{"before"}}}})
	if err := errors.Join(err, v.stop()); err != nil {
		return err
	}
	memoryFile, err = os.ReadFile(db)
	return err
}

// publicCopy copies the program to where every user may run it.
func (r *run) publicCopy() ([]string, error) {
	content, err := os.ReadFile(r.Program[0])
	if err != nil {
		return nil, err
	}
	program := filepath.Join(r.dir, "mcp-memory")
	return slices.Concat([]string{program}, r.Program[1:]), os.WriteFile(program, content, 0o755)
}

// refuses starts a server that must not serve, and looks at what it says and leaves.
func (r *run) refuses(s setup, what, says string) error {
	before, err := listing(filepath.Dir(s.db))
	if err != nil {
		return err
	}
	line, err := r.refusedStart(s)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if !regexp.MustCompile(says).MatchString(line) || unseemly.MatchString(line) {
		return fmt.Errorf("%s: it says %q, want %q", what, line, says)
	}
	after, err := listing(filepath.Dir(s.db))
	if err != nil {
		return err
	}
	if before != after {
		return fmt.Errorf("%s: before:\n%s\nafter:\n%s", what, before, after)
	}
	r.row(what, "exit code 1: %s", strings.ReplaceAll(line, s.db, "FILE"))
	return nil
}

// refusedStart returns the only line that a server says which ends at once with
// exit code 1.
func (r *run) refusedStart(s setup) (line string, err error) {
	v, err := r.start(s)
	if err != nil {
		return "", err
	}
	defer v.kill()
	select {
	case <-v.ended:
	case <-time.After(patience):
		return "", errors.New("the server runs")
	}
	failed, ok := errors.AsType[*exec.ExitError](v.err)
	if !ok || failed.ExitCode() != 1 {
		return "", fmt.Errorf("the server ended with %w, want exit code 1%s", v.err, v.said())
	}
	text := strings.TrimSuffix(v.log.String(), "\n")
	if strings.Contains(text, "\n") || !strings.HasPrefix(text, "mcp-memory: ") {
		return "", fmt.Errorf("want one line on standard error, got %q", text)
	}
	return text, nil
}

// listing lists a folder with sizes and modes.
func listing(folder string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&b, info.Mode(), info.Size(), info.Name())
	}
	return b.String(), nil
}

// readOnlyDisk starts servers on a disk that is mounted read-only.
func (r *run) readOnlyDisk() (err error) {
	disk := filepath.Join(r.dir, "disk")
	if err := os.Mkdir(disk, 0o755); err != nil {
		return err
	}
	unmount, err := mountSmallDisk(disk, diskSize)
	if err != nil {
		r.row("a disk that is read-only", "left out: none can be mounted here: %v", err)
		return nil
	}
	defer func() { err = errors.Join(err, unmount()) }()
	db := filepath.Join(disk, "memory.db")
	if err := errors.Join(makeMemory(db, 0o600), makeReadOnly(disk)); err != nil {
		return err
	}
	if err := r.refuses(setup{db: db}, "a disk that is read-only", `cannot be written`); err != nil {
		return err
	}
	return r.refuses(setup{db: filepath.Join(disk, "new.db")}, "a new file on a disk that is read-only", `read-only file system`)
}
