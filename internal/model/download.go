package model

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Defaults of DownloadOptions.
const (
	DefaultEndpoint       = "https://huggingface.co"
	DefaultConnectTimeout = 10 * time.Second
	DefaultStallTimeout   = 30 * time.Second
)

// DownloadOptions says what to get from where. The zero value gets the default
// variant from the model hub.
type DownloadOptions struct {
	Variant string
	// From is a folder, or a base URL that serves BASE/FILE, BASE/PATH or the
	// hub's layout. Empty means the hub.
	From string
	// Endpoint is the base URL of the hub, if it is not DefaultEndpoint.
	Endpoint string

	ConnectTimeout time.Duration // for a connection to a server
	StallTimeout   time.Duration // without a byte from a server
	// Backoff returns the wait before a retry, counted from 1; nil doubles
	// from one second.
	Backoff func(retry int) time.Duration
	// Progress is told how far the download has come; nil for nobody.
	Progress func(Progress)
}

// Progress tells how far one file has come. A Note is for people and comes
// without numbers.
type Progress struct {
	File  string
	Done  int64 // bytes
	Total int64
	Note  string
}

func (o DownloadOptions) withDefaults() DownloadOptions {
	if o.Endpoint == "" {
		o.Endpoint = DefaultEndpoint
	}
	if o.ConnectTimeout <= 0 {
		o.ConnectTimeout = DefaultConnectTimeout
	}
	if o.StallTimeout <= 0 {
		o.StallTimeout = DefaultStallTimeout
	}
	if o.Backoff == nil {
		o.Backoff = func(retry int) time.Duration { return time.Second << min(retry-1, 4) }
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	return o
}

// source gets files from one place.
type source interface {
	// fetch writes f to the file partial, going on from what is there, and
	// returns where it came from. The content is not yet checked.
	fetch(ctx context.Context, f File, partial string) (from string, err error)
}

// Download makes dir hold the files of a variant. What is there and right is
// left alone; a file is replaced only by one that was checked. It resumes what
// an earlier call left unfinished. Calls for one folder wait for each other.
// Errors say what to do next.
func (m *Manifest) Download(ctx context.Context, dir string, options DownloadOptions) error {
	o := options.withDefaults()
	variant, err := m.Variant(o.Variant)
	if err != nil {
		return err
	}
	wanted := append(slices.Clip(m.Companions), variant.File) // the large one last
	if !slices.ContainsFunc(wanted, func(f File) bool { return !isCurrent(ctx, dir, f) }) {
		for _, f := range wanted {
			o.Progress(Progress{File: f.Name, Done: f.Size, Total: f.Size})
		}
		return nil
	}
	src, err := m.source(o)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return explainDisk(err, dir)
	}
	unlock, err := lock(ctx, filepath.Join(dir, ".download.lock"), func() {
		o.Progress(Progress{Note: "another download into this folder is running: waiting for it"})
	})
	if err != nil {
		return explainDisk(err, dir)
	}
	defer unlock()
	for _, f := range wanted {
		if err := get(ctx, dir, f, src, o); err != nil {
			return err
		}
	}
	return nil
}

// isCurrent reports whether dir holds a file as published.
func isCurrent(ctx context.Context, dir string, f File) bool {
	info, err := os.Stat(filepath.Join(dir, f.Name))
	if err != nil || info.Size() != f.Size {
		return false
	}
	sum, err := hashOf(ctx, dir, f.Name)
	return err == nil && sum == f.SHA256
}

// get makes dir hold one file.
func get(ctx context.Context, dir string, f File, src source, o DownloadOptions) error {
	if isCurrent(ctx, dir, f) {
		o.Progress(Progress{File: f.Name, Done: f.Size, Total: f.Size})
		return nil
	}
	partial := partialPath(dir, f)
	_, err := os.Stat(partial)
	resumed := err == nil
	err = fetchChecked(ctx, f, partial, src)
	if isWrong(err) && resumed {
		// The rest of another file may have been put behind the start of this one.
		o.Progress(Progress{Note: f.Name + ": what an earlier download left does not fit; starting over"})
		if err := os.Remove(partial); err != nil {
			return explainDisk(err, dir)
		}
		err = fetchChecked(ctx, f, partial, src)
	}
	if isWrong(err) || err != nil && sizeOf(partial) == 0 {
		os.Remove(partial)
	}
	if err != nil {
		return explainDisk(err, dir)
	}
	return explainDisk(install(dir, f, partial), dir)
}

// fetchChecked fetches a file and compares it with what it must be.
func fetchChecked(ctx context.Context, f File, partial string, src source) error {
	from, err := src.fetch(ctx, f, partial)
	if err != nil {
		return err
	}
	sum, err := hashFile(ctx, partial)
	if err != nil {
		return err
	}
	if sum != f.SHA256 {
		return &wrongBytesError{file: f, from: from, sha256: sum}
	}
	return nil
}

// install moves a checked file to its place, so that after a crash at any
// moment there is either the old or the new one.
func install(dir string, f File, partial string) error {
	file, err := os.OpenFile(partial, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = errors.Join(file.Sync(), file.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(partial, filepath.Join(dir, f.Name)); err != nil {
		return err
	}
	syncDir(dir)
	for _, path := range partials(dir, f.Name) { // of other variants
		os.Remove(path)
	}
	if info, err := os.Stat(filepath.Join(dir, f.Name)); err == nil {
		remember(dir, f.Name, digest{Size: info.Size(), Modified: info.ModTime(), SHA256: f.SHA256})
	}
	return nil
}

// wrongBytesError is a file that is complete and not what it should be.
type wrongBytesError struct {
	file   File
	from   string
	sha256 string
}

func (e *wrongBytesError) Error() string {
	return fmt.Sprintf("%s from %s is not the published file: SHA-256 %s, expected %s; "+
		"nothing was changed. Try again, or name another source with --from",
		e.file.Name, e.from, e.sha256, e.file.SHA256)
}

func isWrong(err error) bool {
	_, ok := errors.AsType[*wrongBytesError](err)
	return ok
}

const partialSuffix = ".partial"

// partialPath names the unfinished file; the hash keeps variants apart.
func partialPath(dir string, f File) string {
	return filepath.Join(dir, f.Name+"."+f.SHA256[:8]+partialSuffix)
}

// partials lists the unfinished downloads of a file.
func partials(dir, name string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var paths []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), name+".") && strings.HasSuffix(e.Name(), partialSuffix) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}

// explainDisk adds to an error of the file system what to do about it.
func explainDisk(err error, dir string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, errDiskFull):
		return fmt.Errorf("the disk is full: free some space for %s, or choose another folder with --model-dir, "+
			"and run the command again: it goes on where it stopped (%w)", dir, err)
	case errors.Is(err, os.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("the folder %s cannot be written: check its permissions, or choose another with --model-dir (%w)", dir, err)
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EEXIST):
		return fmt.Errorf("%s is not a folder: choose another with --model-dir (%w)", dir, err)
	}
	return err
}
