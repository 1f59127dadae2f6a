package clients

import (
	"bytes"
	"cmp"
	"fmt"
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
		copied, err := c.readCopy(name)
		if err != nil {
			continue
		}
		if there, exists := copied.Server(server.Name); !exists || there.Kind(server.Command) != Ours {
			return copied, name
		}
	}
	return nil, ""
}

// ownFile says whether the file was not there before we first wrote it: there is no copy
// of it, or the first is what we write where nothing is.
func (c *Config) ownFile() bool {
	copies := c.copies()
	if len(copies) == 0 {
		return true
	}
	first, err := c.readCopy(copies[len(copies)-1])
	if err != nil {
		return false
	}
	servers := first.Servers()
	if len(servers) != 1 {
		return false
	}
	made, err := c.Client.Snippet(c.Path, servers[0])
	return err == nil && bytes.Equal(made, first.data)
}

// readCopy reads a copy of the file as what the file was.
func (c *Config) readCopy(name string) (*Config, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading a copy of %s: %w", c.Path, err)
	}
	if len(data) > maxSize {
		return nil, fmt.Errorf("%s has %d bytes, which no configuration has", name, len(data))
	}
	copied := &Config{Client: c.Client, Path: c.Path, Exists: true}
	return copied, copied.read(data)
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
