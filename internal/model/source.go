package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// source chooses where to get files from.
func (m *Manifest) source(o DownloadOptions) (source, error) {
	scheme, rest, isURL := strings.Cut(o.From, "://")
	switch {
	case o.From == "":
		base, err := baseURL(o.Endpoint)
		if err != nil {
			return nil, err
		}
		return newWeb(o, func(f File) []string { return []string{hubURL(base, f)} }), nil
	case !isURL:
		return m.folder(o.From, o)
	case scheme == "file":
		return m.folder(filepath.FromSlash(rest), o)
	}
	base, err := baseURL(o.From)
	if err != nil {
		return nil, err
	}
	return newWeb(o, func(f File) []string {
		return []string{base + "/" + f.Name, base + "/" + f.Path, hubURL(base, f)}
	}), nil
}

// CheckAddress says what is wrong with From, or else Endpoint, as an address. A folder is
// not looked for.
func (o DownloadOptions) CheckAddress() error {
	address := o.withDefaults().Endpoint
	if o.From != "" {
		if scheme, _, isURL := strings.Cut(o.From, "://"); !isURL || scheme == "file" {
			return nil
		}
		address = o.From
	}
	_, err := baseURL(address)
	return err
}

func hubURL(base string, f File) string {
	return base + "/" + f.Repository + "/resolve/" + f.Revision + "/" + f.Path
}

func baseURL(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", fmt.Errorf("%q is neither an http(s) address nor a folder", s)
	}
	return strings.TrimRight(s, "/"), nil
}

// folder is a source on disk: flat, laid out as the repository, or a mirror of
// the hub.
type folder struct {
	manifest *Manifest
	dir      string
	progress func(Progress)
}

func (m *Manifest) folder(dir string, o DownloadOptions) (source, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no folder %s: name one that holds %s, or the address of a mirror", dir, ModelFile)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("the folder %s cannot be read: check its permissions", dir)
	case err != nil:
		return nil, fmt.Errorf("the folder to copy from cannot be read: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a folder: name the folder that holds %s", dir, ModelFile)
	}
	return &folder{manifest: m, dir: dir, progress: o.Progress}, nil
}

// candidates lists where a file may lie, best first.
func (s *folder) candidates(f File) []string {
	return []string{
		filepath.Join(s.dir, f.Name),
		filepath.Join(s.dir, filepath.FromSlash(f.Path)),
		filepath.Join(s.dir, path.Base(f.Path)),
		filepath.Join(s.dir, filepath.FromSlash(f.Repository), "resolve", f.Revision, filepath.FromSlash(f.Path)),
		filepath.Join(s.dir, "models--"+strings.ReplaceAll(f.Repository, "/", "--"), "snapshots", f.Revision, filepath.FromSlash(f.Path)),
	}
}

// find returns the first candidate of the right size.
func (s *folder) find(ctx context.Context, f File) (string, error) {
	other := ""
	for _, path := range s.candidates(f) {
		info, err := os.Stat(path)
		switch {
		case err != nil || !info.Mode().IsRegular():
		case info.Size() == f.Size:
			return path, nil
		case other == "":
			other = path
		}
	}
	if other == "" {
		return "", fmt.Errorf("%s holds no %s (%s)", s.dir, f.Name, f.Path)
	}
	sum, err := hashFile(ctx, other)
	if err != nil {
		return "", err
	}
	if v, ok := s.manifest.variantOf(sum); ok {
		return "", fmt.Errorf("%s is the %s variant: add --variant %s to take it", other, v.Name, v.Name)
	}
	if _, ok := s.manifest.standInOf(sum); ok {
		return "", fmt.Errorf("%s is the locally built stand-in, not the published model: nothing was copied", other)
	}
	return "", &wrongBytesError{file: f, from: other, sha256: sum}
}

func (s *folder) fetch(ctx context.Context, f File, partial string) (string, error) {
	path, err := s.find(ctx, f)
	if err != nil {
		return path, err
	}
	in, err := os.Open(path)
	if err != nil {
		return path, fmt.Errorf("the file to copy cannot be read: %v", err) // not to be taken for the target
	}
	defer in.Close()
	out, err := os.Create(partial)
	if err != nil {
		return path, err
	}
	report := &reporter{file: f, progress: s.progress}
	if _, err := io.Copy(io.MultiWriter(out, report), &contextReader{ctx, in}); err != nil {
		out.Close()
		return path, fmt.Errorf("copy %s: %w", path, err)
	}
	return path, out.Close()
}

// reporter is a writer that counts for the progress.
type reporter struct {
	file     File
	done     int64
	progress func(Progress)
}

func (r *reporter) Write(p []byte) (int, error) {
	r.done += int64(len(p))
	r.progress(Progress{File: r.file.Name, Done: r.done, Total: r.file.Size})
	return len(p), nil
}
