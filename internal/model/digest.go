package model

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"time"
)

// digestFile remembers the hashes of a folder's files, so that they are
// computed once and not at every start.
const digestFile = ".sha256.json"

// digest is what is remembered of a file. A file of the same size and
// modification time counts as unchanged.
type digest struct {
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	SHA256   string    `json:"sha256"`
}

func (d digest) matches(info os.FileInfo) bool {
	return d.Size == info.Size() && d.Modified.Equal(info.ModTime())
}

// hashOf returns the SHA-256 of dir/name, computing it only when it is not
// remembered.
func hashOf(ctx context.Context, dir, name string) (string, error) {
	path := filepath.Join(dir, name)
	before, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	for _, file := range digestFiles(dir) {
		if d, ok := readDigests(file)[name]; ok && d.matches(before) {
			return d.SHA256, nil
		}
	}
	sum, err := hashFile(ctx, path)
	if err != nil {
		return "", err
	}
	after, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	d := digest{Size: after.Size(), Modified: after.ModTime(), SHA256: sum}
	if d.matches(before) { // otherwise someone is writing it
		remember(dir, name, d)
	}
	return sum, nil
}

// remember notes a digest in the folder, or in the user's cache if the folder
// cannot be written. Failing to is no error: it only costs time later.
func remember(dir, name string, d digest) {
	for _, file := range digestFiles(dir) {
		digests := maps.Clone(readDigests(file))
		if digests == nil {
			digests = map[string]digest{}
		}
		digests[name] = d
		if writeDigests(file, digests) == nil {
			return
		}
	}
}

// digestFiles lists where the digests of a folder may be kept, best first.
func digestFiles(dir string) []string {
	files := []string{filepath.Join(dir, digestFile)}
	cache, err := os.UserCacheDir()
	if err != nil {
		return files
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return files
	}
	key := sha256.Sum256([]byte(absolute))
	return append(files, filepath.Join(cache, "mcp-memory", "model-digests", hex.EncodeToString(key[:8])+".json"))
}

func readDigests(file string) map[string]digest {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var digests map[string]digest
	if json.Unmarshal(content, &digests) != nil {
		return nil
	}
	return digests
}

func writeDigests(file string, digests map[string]digest) error {
	content, err := json.MarshalIndent(digests, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), digestFile+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	if _, err := temporary.Write(content); err != nil {
		temporary.Close()
		return err
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), file)
}

// hashFile computes the SHA-256 of a file.
func hashFile(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, &contextReader{ctx, f}); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// contextReader ends when its context does.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r *contextReader) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
