//go:build unix

package sqlite_test

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// TestPrivateFiles makes files as they must be even where the user lets all
// others read new ones.
func TestPrivateFiles(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	for name, path := range map[string]string{
		"new": filepath.Join(t.TempDir(), "a", "b", "memory.db"),
		"old": unpack(t, "seed"),
	} {
		t.Run(name, func(t *testing.T) {
			if name == "old" { // other files take its mode
				if err := os.Chmod(path, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			db := open(t, path)
			add(t, db, "Alfa", "boya")
			err := db.View(t.Context(), func(r memory.Reader) error {
				_, _, err := r.EntityPage(t.Context(), 1, 0)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			files := append(backups(t, path), path, path+"-wal", path+"-shm")
			want := map[string]int{"new": 3, "old": 4}[name]
			equal(t, "files", len(files), want)
			for _, file := range files {
				equal(t, "mode of "+file, modeOf(t, file), os.FileMode(0o600))
			}
			if name == "new" {
				equal(t, "mode of the folder", modeOf(t, filepath.Dir(path)), os.FileMode(0o700))
				equal(t, "mode of its folder", modeOf(t, filepath.Dir(filepath.Dir(path))), os.FileMode(0o700))
			}
		})
	}
}

func modeOf(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

// TestNoRegularFile refuses at once what is no file, and links to such.
func TestNoRegularFile(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	socket, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"loop": "loop2", "loop2": "loop", "dangling": "nowhere", "to pipe": "pipe", "to device": os.DevNull, "to folder": ".",
	} {
		if err := os.Symlink(target, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	before := filesBeside(t, at("pipe"))
	for name, reason := range map[string]string{
		"pipe":      "it is not a regular file",
		"socket":    "it is not a regular file",
		"to pipe":   "it is not a regular file",
		"to device": "it is not a regular file",
		"to folder": "it is a folder",
		"loop":      "too many levels of symbolic links",
		"dangling":  "it is a link to a file that does not exist",
	} {
		_, err := sqlite.Open(t.Context(), at(name), sqlite.Options{})
		refused(t, err, reason)
	}
	equal(t, "files", filesBeside(t, at("pipe")), before)
}

func TestUnreadableFile(t *testing.T) {
	if !unprivileged(t) {
		return
	}
	path := filepath.Join(t.TempDir(), "memory.db")
	openAndClose(t, path)
	before := readFile(t, path)
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	refused(t, err, "the file cannot be read")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if readFile(t, path) != before {
		t.Error("the file was changed")
	}
	equal(t, "files", filesBeside(t, path), []string{"memory.db"})
}

// A link to a file that exists is as good as the file.
func TestLink(t *testing.T) {
	folder := t.TempDir()
	target, link := filepath.Join(folder, "target.db"), filepath.Join(folder, "memory.db")
	openAndClose(t, target)
	if err := os.Symlink("target.db", link); err != nil {
		t.Fatal(err)
	}
	add(t, open(t, link), "Alfa", "boya")
	equal(t, "entities", query(t, target, "SELECT name FROM entities"), []string{"Alfa"})
}

// An empty file is a new database.
func TestEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	add(t, open(t, path), "Alfa", "boya")
	equal(t, "backups", backups(t, path), []string(nil))
}
