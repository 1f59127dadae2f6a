package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"

	"github.com/tailscale/hujson"
)

// Config is a client's configuration file as it was read.
type Config struct {
	Client Client
	Path   string
	Exists bool

	data []byte // as it is on disk
	bom  bool   // whether it starts with a byte-order mark
	doc  document
}

// document is a parsed file. Edits return the text that it becomes.
type document interface {
	servers() []Server
	local() []Server
	put(server Server, anew bool) ([]byte, error)
	putBack(from document, e Entry) ([]byte, bool)
	remove(e Entry) ([]byte, error)
	others(but ...Entry) (any, error)
	closeUp(before document) ([]byte, error)
	bare() bool
	oddity() int
}

// FileError says why a configuration file is left alone.
type FileError struct {
	Path   string
	Reason string
	Remedy string
}

func (e *FileError) Error() string { return e.Path + ": " + e.Reason + ". " + e.Remedy }

const (
	byteOrderMark = "\xef\xbb\xbf"
	// maxSize bounds what is read as a configuration, in bytes.
	maxSize = 64 << 20
)

var noJSON hujson.Value

// Open reads a configuration file. One that is not there is one without
// anything in it; one that can't be parsed is a *FileError.
func (c Client) Open(path string) (*Config, error) {
	config := &Config{Client: c, Path: path}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("reading the configuration of %s: %w", c.Name, err)
	case !info.Mode().IsRegular():
		return nil, &FileError{path, "it is not a file", "Name another one with --file."}
	case info.Size() > maxSize:
		return nil, &FileError{path, fmt.Sprintf("it has %d bytes, which no configuration has", info.Size()), "Name another one with --file."}
	default:
		config.Exists = true
	}
	var data []byte
	if config.Exists {
		if data, err = os.ReadFile(path); err != nil {
			return nil, fmt.Errorf("reading the configuration of %s: %w", c.Name, err)
		}
	}
	if err := config.read(data); err != nil {
		return nil, err
	}
	return config, nil
}

// read takes on the content of the file.
func (c *Config) read(data []byte) (err error) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return &FileError{c.Path, "it is written in UTF-16", "Save it as UTF-8 and run this again; nothing was changed."}
	}
	var text []byte
	text, c.bom = bytes.CutPrefix(data, []byte(byteOrderMark))
	c.data = data
	if c.doc, err = c.Client.parse(c.Path, text); err != nil {
		return &FileError{c.Path, err.Error(), "Mend it, or move it away, and run this again; nothing was changed."}
	}
	return nil
}

func (c Client) parse(path string, text []byte) (document, error) {
	if c.layout.toml {
		return parseTOML(path, text, c.layout)
	}
	return parseJSON(path, text, c.layout)
}

// Servers lists the servers in the file that the client starts everywhere.
func (c *Config) Servers() []Server { return c.doc.servers() }

// Local lists those that it starts in some folder alone, where they count more.
func (c *Config) Local() []Server { return c.doc.local() }

// Server is the server of a name that is started everywhere.
func (c *Config) Server(name string) (Server, bool) {
	for _, s := range c.Servers() {
		if s.Name == name {
			return s, true
		}
	}
	return Server{}, false
}

// Notes tells of what keeps the client from reading the file as it is, and from
// starting what is installed.
func (c *Config) Notes() []string {
	var notes []string
	if line := c.doc.oddity(); line > 0 && c.Client.layout.plain {
		notes = append(notes, fmt.Sprintf("line %d has a comment or a surplus comma, which %s may not be able to read", line, c.Client.Name))
	}
	if c.bom && c.Client.layout.noBOM {
		notes = append(notes, fmt.Sprintf("the file starts with a byte-order mark, with which %s loses its servers: it is taken out", c.Client.Name))
	}
	return notes
}

// Install is the change that makes the client start a server, and no longer
// those that it takes the place of. An entry of this name that starts something
// else is brought up to date; anew replaces it as a whole.
func (c *Config) Install(server Server, anew bool, instead ...Entry) (Change, error) {
	doc := c.doc
	for _, e := range instead {
		if e == server.Entry() {
			anew = true
			continue
		}
		text, err := doc.remove(e)
		if err != nil {
			return Change{}, err
		}
		if doc, err = c.Client.parse(c.Path, text); err != nil {
			return Change{}, fmt.Errorf("taking %q out of %s: %w", e, c.Path, err)
		}
	}
	text, err := doc.put(server, anew)
	if err != nil {
		return Change{}, fmt.Errorf("writing %q into %s: %w", server.Name, c.Path, err)
	}
	after, err := c.Client.parse(c.Path, text)
	if err != nil {
		return Change{}, fmt.Errorf("writing %q into %s: %w", server.Name, c.Path, err)
	}
	written := Config{doc: after}
	if got, ok := written.Server(server.Name); !ok || !got.same(server) {
		return Change{}, fmt.Errorf("writing %q into %s: the entry can't be changed in the form it has; take it out by hand", server.Name, c.Path)
	}
	return c.change(text, after, append(slices.Clip(instead), server.Entry())...)
}

// Uninstall is the change that takes a server out. If nothing else has changed
// since it was installed, the file becomes what it was, with the servers that
// it took the place of; else these are added to a JSON file again. A file that has
// nothing else and was not there before the server is removed.
func (c *Config) Uninstall(name string) (Change, error) {
	server, _ := c.Server(name)
	before, copied := c.before(server)
	var former Former
	if before != nil {
		if entries := c.replaced(before, server); len(entries) > 0 {
			former = Former{Entries: entries, Copy: copied}
		}
		if change, ok := c.undo(before, server, former.Entries); ok {
			former.Back = len(former.Entries) > 0
			change.Former = former
			return change, nil
		}
	}
	change, err := c.takeOut(name, before)
	if err == nil && len(former.Entries) > 0 {
		if back, ok := c.putBack(change, before, append(slices.Clip(former.Entries), server.Entry())); ok {
			change, former.Back = back, true
		}
	}
	change.Former = former
	return change, err
}

// putBack adds servers of an earlier file to a change that has taken out what stood in
// their place, if all of them can be added; what else was there is of no matter.
func (c *Config) putBack(change Change, before *Config, entries []Entry) (Change, bool) {
	text := bytes.TrimPrefix(change.After, []byte(byteOrderMark))
	for _, e := range entries[:len(entries)-1] {
		doc, err := c.Client.parse(c.Path, text)
		if err != nil {
			return change, false
		}
		var ok bool
		if text, ok = doc.putBack(before.doc, e); !ok {
			return change, false
		}
	}
	after, err := c.Client.parse(c.Path, text)
	if err != nil {
		return change, false
	}
	back, err := c.change(text, after, entries...)
	return back, err == nil
}

// takeOut is the change that takes a server out, and its place in the file, if
// that was made with it.
func (c *Config) takeOut(name string, before *Config) (Change, error) {
	text, err := c.doc.remove(Entry{Name: name})
	if err != nil {
		return Change{}, fmt.Errorf("taking %q out of %s: %w", name, c.Path, err)
	}
	if before != nil {
		left, err := c.Client.parse(c.Path, text)
		if err != nil {
			return Change{}, fmt.Errorf("taking %q out of %s: %w", name, c.Path, err)
		}
		if text, err = left.closeUp(before.doc); err != nil {
			return Change{}, fmt.Errorf("taking %q out of %s: %w", name, c.Path, err)
		}
	}
	after, err := c.Client.parse(c.Path, text)
	if err != nil {
		return Change{}, fmt.Errorf("taking %q out of %s: %w", name, c.Path, err)
	}
	change, err := c.change(text, after, Entry{Name: name})
	if err != nil {
		return Change{}, err
	}
	info, err := os.Lstat(c.Path)
	if after.bare() && c.ownFile() && err == nil && info.Mode().IsRegular() {
		change.After, change.Delete = nil, true
	}
	return change, nil
}

// change checks that nothing but some servers is another, and makes the change.
func (c *Config) change(text []byte, after document, entries ...Entry) (Change, error) {
	was, err := c.doc.others(entries...)
	if err != nil {
		return Change{}, err
	}
	is, err := after.others(entries...)
	if err != nil {
		return Change{}, err
	}
	if !reflect.DeepEqual(was, is) {
		return Change{}, fmt.Errorf("changing %s: more than %v would change; edit it by hand", c.Path, entries)
	}
	if c.bom && !c.Client.layout.noBOM {
		text = append([]byte(byteOrderMark), text...)
	}
	return Change{Path: c.Path, Before: c.data, After: text, Create: !c.Exists}, nil
}

// Snippet is a configuration file that has nothing but a server, in the form
// that a file at a path has.
func (c Client) Snippet(path string, server Server) ([]byte, error) {
	doc, err := c.parse(path, nil)
	if err != nil {
		return nil, fmt.Errorf("writing an entry for %s: %w", c.Name, err)
	}
	return doc.put(server, true)
}
