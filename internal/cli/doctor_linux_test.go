package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

func TestFileSystemName(t *testing.T) {
	for magic, want := range map[uint32]string{
		0xef53:     "ext4 false",
		0x6969:     "a network file system (NFS) true",
		0xff534d42: "a network file system (CIFS) true",
		0x65735546: "a file system of a program (FUSE) true",
		0x01021997: "a folder of another system (9p) true",
		0x12345:    "local (0x12345) false",
	} {
		kind, remote := fileSystemName(magic)
		if got := fmt.Sprintf("%s %t", kind, remote); got != want {
			t.Errorf("%#x is %s, want %s", magic, got, want)
		}
	}
	if _, _, known := fileSystemOf(t.TempDir()); !known {
		t.Error("nothing is known of a folder")
	}
}

func TestUsersOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if users, looked := usersOf(path); !looked || len(users) > 0 {
		t.Errorf("users of a file of our own: %q, %v", users, looked)
	}
	user := exec.CommandContext(t.Context(), "sleep", "60")
	user.ExtraFiles = []*os.File{file}
	if err := user.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = user.Process.Kill()
		_ = user.Wait()
	}()
	link := path + "-link"
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	want := []string{fmt.Sprintf("sleep (%d)", user.Process.Pid)}
	for _, name := range []string{path, link} {
		if users, _ := usersOf(name); !slices.Equal(users, want) {
			t.Errorf("users of %s: %q, want %q", name, users, want)
		}
	}
}
