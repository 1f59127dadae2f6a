package clients

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Former is what a server took the place of when it was installed.
type Former struct {
	Entries []Entry // other memory servers
	Copy    string  // the copy of the file that has their entries
	Back    bool    // they are put back
}

// before is the file as it was when a server was installed, as far as the
// copies tell, and the copy that says so.
func (c *Config) before(server Server) (before *Config, name string) {
	for _, name := range c.copies() {
		data, err := os.ReadFile(name)
		if err != nil || len(data) > maxSize {
			continue
		}
		copied := &Config{Client: c.Client, Path: c.Path, Exists: true}
		if copied.read(data) != nil {
			continue
		}
		if there, exists := copied.Server(server.Name); !exists || there.Kind(server.Command) != Ours {
			return copied, name
		}
	}
	return nil, ""
}

// copies lists the copies of the file that were made before changes, the last first.
func (c *Config) copies() []string {
	type made struct {
		path   string
		time   time.Time
		number int
	}
	var all []made
	entries, _ := os.ReadDir(filepath.Dir(c.Path))
	for _, entry := range entries {
		number, ours := strings.CutPrefix(entry.Name(), filepath.Base(c.Path)+backupMark)
		n, err := strconv.Atoi(number)
		if info, infoErr := entry.Info(); ours && err == nil && infoErr == nil && info.Mode().IsRegular() {
			all = append(all, made{backupName(c.Path, n), info.ModTime(), n})
		}
	}
	slices.SortFunc(all, func(a, b made) int { return cmp.Or(b.time.Compare(a.time), b.number-a.number) })
	paths := make([]string, len(all))
	for i, one := range all {
		paths[i] = one.path
	}
	return paths
}

// replaced lists the memory servers of an earlier file that this one no longer has.
func (c *Config) replaced(before *Config, by Server) []Entry {
	there := map[Entry]bool{}
	for _, server := range slices.Concat(c.Servers(), c.Local()) {
		there[server.Entry()] = server.Entry() != by.Entry()
	}
	var entries []Entry
	for _, server := range slices.Concat(before.Servers(), before.Local()) {
		if kind := server.Kind(""); (kind == Official || kind == Python) && !there[server.Entry()] {
			entries = append(entries, server.Entry())
		}
	}
	return entries
}

// undo is the change back to an earlier file, if to install the server into
// that one gives this one to the byte.
func (c *Config) undo(before *Config, server Server, entries []Entry) (Change, bool) {
	installed, err := before.Install(server, false, entries...)
	if err != nil || !bytes.Equal(installed.After, c.data) {
		return Change{}, false
	}
	after := before.data
	if c.Client.layout.noBOM {
		after = bytes.TrimPrefix(after, []byte(byteOrderMark))
	}
	return Change{Path: c.Path, Before: c.data, After: after}, true
}
