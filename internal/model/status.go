package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// State says what a model folder holds.
type State string

// The states of a folder.
const (
	Missing    State = "missing"    // none of the files
	Incomplete State = "incomplete" // some files, or a download that did not end
	Damaged    State = "damaged"    // a file is cut off or unreadable
	Foreign    State = "foreign"    // complete, but of unknown origin
	Built      State = "stand-in"   // built locally from coarser weights
	Genuine    State = "genuine"    // as published
)

// Usable reports whether the engine can try to load the folder.
func (s State) Usable() bool { return s == Foreign || s == Built || s == Genuine }

// FileState says what is known of one file: "genuine", "stand-in", "foreign",
// "damaged", "partial" (being downloaded) or "missing".
type FileState struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	Size   int64  `json:"size"`             // bytes present
	SHA256 string `json:"sha256,omitempty"` // of a whole file
}

// Status is what a folder holds.
type Status struct {
	Dir     string      `json:"dir"`
	State   State       `json:"state"`
	Ready   bool        `json:"ready"`
	ID      string      `json:"id,omitempty"` // see Identity
	Variant string      `json:"variant,omitempty"`
	Reason  string      `json:"reason,omitempty"` // why it is not ready, or not genuine
	Files   []FileState `json:"files"`
}

// Status looks at a folder. Files that are not yet known are hashed, which
// takes about a second.
func (m *Manifest) Status(ctx context.Context, dir string) (Status, error) {
	s := Status{Dir: dir}
	names := []string{ModelFile}
	for _, f := range m.Companions {
		names = append(names, f.Name)
	}
	for _, name := range names {
		f, err := m.fileState(ctx, dir, name)
		if err != nil {
			return Status{}, fmt.Errorf("look at %s: %w", filepath.Join(dir, name), err)
		}
		s.Files = append(s.Files, f)
	}
	s.State, s.Reason = judge(s.Files)
	s.Ready = s.State.Usable()
	if s.Ready {
		id, err := m.Identify(ctx, dir)
		if err != nil {
			return Status{}, err
		}
		s.ID, s.Variant = id.ID, id.Variant
	}
	return s, nil
}

// judge sums up the states of the files. Only the files that the engine reads
// decide.
func judge(files []FileState) (State, string) {
	var present, partial, absent, foreign []string
	state := Genuine
	for _, f := range files {
		needed := f.Name == ModelFile || f.Name == TokenizerFile
		switch f.State {
		case "damaged":
			if needed {
				return Damaged, f.Name + " is cut off, or another kind of file"
			}
		case "partial":
			partial = append(partial, f.Name)
		case "missing":
			if needed {
				absent = append(absent, f.Name)
			}
		default:
			present = append(present, f.Name)
			if needed && f.State == "foreign" {
				foreign = append(foreign, f.Name)
			}
			if f.State == "stand-in" {
				state = Built
			}
		}
	}
	for _, name := range partial {
		if name == ModelFile || name == TokenizerFile {
			return Incomplete, "the download of " + name + " has not ended"
		}
	}
	switch {
	case len(absent) > 0 && len(present)+len(partial) == 0:
		return Missing, "there are no model files"
	case len(absent) > 0:
		return Incomplete, strings.Join(absent, " and ") + " missing"
	case len(foreign) > 0:
		return Foreign, strings.Join(foreign, " and ") + " of unknown origin"
	case state == Built:
		return Built, "built locally from weights of 4 bits; close to the genuine model, not equal"
	}
	return Genuine, ""
}

func (m *Manifest) fileState(ctx context.Context, dir, name string) (FileState, error) {
	f := FileState{Name: name, State: "missing"}
	info, err := os.Stat(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		if size, ok := partialSize(dir, name); ok {
			f.State, f.Size = "partial", size
		}
		return f, nil
	}
	if err != nil {
		return FileState{}, err
	}
	f.Size = info.Size()
	if !info.Mode().IsRegular() {
		f.State = "damaged"
		return f, nil
	}
	if f.SHA256, err = hashOf(ctx, dir, name); err != nil {
		return FileState{}, err
	}
	f.State = m.origin(dir, name, f.SHA256)
	return f, nil
}

// origin tells where a whole file comes from.
func (m *Manifest) origin(dir, name, sha256 string) string {
	if name == ModelFile {
		if _, ok := m.variantOf(sha256); ok {
			return "genuine"
		}
		if _, ok := m.standInOf(sha256); ok {
			return "stand-in"
		}
		if _, err := ReadGraph(filepath.Join(dir, name)); err != nil {
			return "damaged"
		}
		return "foreign"
	}
	if f, ok := m.companion(name); ok && f.SHA256 == sha256 {
		return "genuine"
	}
	if content, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !json.Valid(content) {
		return "damaged"
	}
	return "foreign"
}

// partialSize returns the size of the largest unfinished download of a file.
func partialSize(dir, name string) (int64, bool) {
	var size int64
	paths := partials(dir, name)
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			size = max(size, info.Size())
		}
	}
	return size, len(paths) > 0
}

// FormatSize writes a number of bytes for people.
func FormatSize(bytes int64) string {
	switch {
	case bytes < 1000:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1000*1000:
		return fmt.Sprintf("%.0f kB", float64(bytes)/1e3)
	}
	return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
}
