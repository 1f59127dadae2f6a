package model_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-memory/internal/model"
)

const weights = "onnx/model.onnx"

func TestDownload(t *testing.T) {
	p := publish()
	h := serve(t, p, nil)
	dir := filepath.Join(t.TempDir(), "new", "folder")
	var last model.Progress
	o := h.options()
	o.Progress = func(now model.Progress) { last = now }
	if err := p.Download(t.Context(), dir, o); err != nil {
		t.Fatal(err)
	}
	checkState(t, p, dir, model.Genuine)
	if last.File != "model.onnx" || last.Done != last.Total || last.Total != 40_000 {
		t.Errorf("last progress %+v, want all 40000 bytes of model.onnx", last)
	}
	// A second call has nothing to do, and asks nobody.
	before := h.sent()
	if err := p.Download(t.Context(), dir, o); err != nil {
		t.Fatal(err)
	}
	if after := h.sent(); len(after) != len(before) {
		t.Errorf("a second download sent %q", after[len(before):])
	}
}

// Interruptions of one download, all of which end well.
func TestDownloadGoesOn(t *testing.T) {
	body := publish().content[weights]
	cutOff := func(w http.ResponseWriter, start, n int) {
		w.Header().Set("Content-Length", "40000")
		_, _ = w.Write(body[start : start+n])
		panic(http.ErrAbortHandler)
	}
	tests := []struct {
		name      string
		misbehave func(w http.ResponseWriter, r *http.Request, nth int) bool
		want      string // Range of the last request
	}{
		{"cut off", func(w http.ResponseWriter, _ *http.Request, nth int) bool {
			if nth == 1 {
				cutOff(w, 0, 15_000)
			}
			return false
		}, "bytes=15000-"},
		{"stalled", func(w http.ResponseWriter, r *http.Request, nth int) bool {
			if nth > 1 {
				return false
			}
			w.Header().Set("Content-Length", "40000")
			_, _ = w.Write(body[:12_000])
			w.(http.Flusher).Flush()
			<-r.Context().Done() // the client gives up
			return true
		}, "bytes=12000-"},
		{"server error", func(w http.ResponseWriter, _ *http.Request, nth int) bool {
			if nth < 3 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return nth < 3
		}, ""},
		{"ranges ignored", func(w http.ResponseWriter, _ *http.Request, nth int) bool {
			if nth == 1 {
				cutOff(w, 0, 15_000)
			}
			_, _ = w.Write(body)
			return true
		}, "bytes=15000-"},
		{"redirected", func(w http.ResponseWriter, r *http.Request, nth int) bool {
			if nth == 1 {
				http.Redirect(w, r, r.URL.Path, http.StatusFound)
			}
			return nth == 1
		}, ""},
		{"cut off many times", func(w http.ResponseWriter, _ *http.Request, nth int) bool {
			start := (nth - 1) * 2_000
			if start+2_000 < len(body) {
				w.Header().Set("Content-Range", "bytes "+strconv.Itoa(start)+"-39999/40000")
				w.Header().Set("Content-Length", strconv.Itoa(len(body)-start))
				if start > 0 {
					w.WriteHeader(http.StatusPartialContent)
				}
				_, _ = w.Write(body[start : start+2_000])
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}
			return false
		}, "bytes=38000-"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := publish()
			h := serve(t, p, func(w http.ResponseWriter, r *http.Request, path string, nth int) bool {
				return path == weights && test.misbehave(w, r, nth)
			})
			dir := t.TempDir()
			if err := p.Download(t.Context(), dir, h.options()); err != nil {
				t.Fatal(err)
			}
			checkState(t, p, dir, model.Genuine)
			requests := h.sent()
			if last := requests[len(requests)-1]; !strings.HasSuffix(last, strings.TrimSpace(weights+" "+test.want)) {
				t.Errorf("last request %q, want range %q", last, test.want)
			}
		})
	}
}

// Failures say what is wrong and what to do, and leave an earlier model alone.
func TestDownloadFails(t *testing.T) {
	tests := []struct {
		name      string
		misbehave func(p *publication, w http.ResponseWriter, r *http.Request, path string) bool
		want      []string
	}{
		{"not found", func(_ *publication, w http.ResponseWriter, r *http.Request, path string) bool {
			if path == weights {
				http.NotFound(w, r)
			}
			return path == weights
		}, []string{"404", "/owner/tiny/resolve/r1/onnx/model.onnx", "HF_ENDPOINT"}},
		{"refused", func(_ *publication, w http.ResponseWriter, _ *http.Request, path string) bool {
			if path == weights {
				w.WriteHeader(http.StatusForbidden)
			}
			return path == weights
		}, []string{"403", "--from"}},
		{"server error", func(_ *publication, w http.ResponseWriter, _ *http.Request, path string) bool {
			if path == weights {
				w.WriteHeader(http.StatusInternalServerError)
			}
			return path == weights
		}, []string{"500", "run the command again"}},
		{"wrong bytes", func(p *publication, w http.ResponseWriter, _ *http.Request, path string) bool {
			if path == weights {
				_, _ = w.Write(content("evil", len(p.content[weights])))
			}
			return path == weights
		}, []string{"not the published file", sum(content("evil", 40_000)), sum(content("fp32", 40_000)), "--from"}},
		{"login page", func(_ *publication, w http.ResponseWriter, _ *http.Request, path string) bool {
			if path == weights {
				_, _ = io.WriteString(w, "<html>please log in</html>")
			}
			return path == weights
		}, []string{"26 bytes, expected 40000"}},
		{"cut off without progress", func(p *publication, w http.ResponseWriter, r *http.Request, path string) bool {
			if path != weights {
				return false
			}
			if r.Header.Get("Range") == "" {
				w.Header().Set("Content-Length", "40000")
				_, _ = w.Write(p.content[weights][:20_000])
			}
			panic(http.ErrAbortHandler)
		}, []string{"20 kB of 40 kB are kept", "run the command again"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := publish()
			h := serve(t, p, func(w http.ResponseWriter, r *http.Request, path string, _ int) bool {
				return test.misbehave(p, w, r, path)
			})
			dir := t.TempDir()
			p.fill(t, dir, "int8")
			err := p.Download(t.Context(), dir, h.options())
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
			id, err := p.Identify(t.Context(), dir)
			if err != nil || id.Variant != "int8" {
				t.Errorf("the earlier model became %+v, %v", id, err)
			}
		})
	}
}

// What keeps a server from being reached is said in plain words, and nothing
// is left in the folder.
func TestDownloadUnreachable(t *testing.T) {
	p := publish()
	closed := serve(t, p, nil)
	closed.Close()
	plain := serve(t, p, nil)
	secure := httptest.NewUnstartedServer(plain)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	for endpoint, want := range map[string]string{
		closed.URL: "it refuses the connection. ",
		secure.URL: "it shows a certificate that is not trusted here",
		strings.Replace(plain.URL, "http:", "https:", 1): "it does not speak HTTPS. ",
	} {
		o := closed.options()
		o.Endpoint = endpoint
		o.ConnectTimeout = time.Minute
		dir := t.TempDir()
		err := p.Download(t.Context(), dir, o)
		if err == nil {
			t.Fatal("no error")
		}
		_, host, _ := strings.Cut(endpoint, "//")
		for _, want := range []string{"cannot reach " + host + ": " + want, "HF_ENDPOINT", "--from FOLDER"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error %q does not say %q", err, want)
			}
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
			t.Errorf("the folder holds %v, %v", files, err)
		}
	}
}

func TestDownloadMute(t *testing.T) {
	p := publish()
	h := serve(t, p, func(_ http.ResponseWriter, r *http.Request, _ string, _ int) bool {
		<-r.Context().Done()
		return true
	})
	o := h.options()
	o.ConnectTimeout = 10 * time.Millisecond
	err := p.Download(t.Context(), t.TempDir(), o)
	if err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("error = %v, want one that says that the server does not answer", err)
	}
}

// A process that is killed leaves a partial file, from which the next goes on.
func TestDownloadAfterKill(t *testing.T) {
	if dir := os.Getenv("DOWNLOAD_TEST_DIR"); dir != "" { // the process to be killed
		p := publish()
		o := model.DownloadOptions{Endpoint: os.Getenv("DOWNLOAD_TEST_HUB"), StallTimeout: time.Hour}
		_ = p.Download(t.Context(), dir, o)
		return
	}
	p := publish()
	half := make(chan struct{})
	h := serve(t, p, func(w http.ResponseWriter, r *http.Request, path string, nth int) bool {
		if path != weights || nth > 1 {
			return false
		}
		w.Header().Set("Content-Length", "40000")
		_, _ = w.Write(p.content[weights][:25_000])
		w.(http.Flusher).Flush()
		close(half)
		<-r.Context().Done()
		return true
	})
	dir := t.TempDir()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestDownloadAfterKill$")
	child.Env = append(os.Environ(), "DOWNLOAD_TEST_DIR="+dir, "DOWNLOAD_TEST_HUB="+h.URL)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	<-half
	waitFor(t, func() bool { return partialBytes(dir) == 25_000 })
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	checkState(t, p, dir, model.Incomplete)
	if err := p.Download(t.Context(), dir, h.options()); err != nil {
		t.Fatal(err)
	}
	checkState(t, p, dir, model.Genuine)
	if last := h.sent()[len(h.sent())-1]; !strings.HasSuffix(last, "bytes=25000-") {
		t.Errorf("last request %q, want it to resume at 25000", last)
	}
}

// What an earlier program left may not be a start of the file.
func TestDownloadOverBadPartial(t *testing.T) {
	for _, length := range []int{15_000, 40_000, 50_000} {
		p := publish()
		h := serve(t, p, nil)
		dir := t.TempDir()
		write(t, partialName(p, dir), content("junk", length))
		if err := p.Download(t.Context(), dir, h.options()); err != nil {
			t.Fatalf("over %d bytes: %v", length, err)
		}
		checkState(t, p, dir, model.Genuine)
	}
}

func TestDownloadCancelled(t *testing.T) {
	p := publish()
	ctx, cancel := context.WithCancel(t.Context())
	h := serve(t, p, func(w http.ResponseWriter, r *http.Request, path string, _ int) bool {
		if path == weights {
			cancel()
			<-r.Context().Done()
		}
		return path == weights
	})
	o := h.options()
	o.StallTimeout = time.Hour
	if err := p.Download(ctx, t.TempDir(), o); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "run the command again") {
		t.Errorf("error = %v, want one that says how to go on", err)
	}
}

func TestDownloadDiskFull(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("this system has no device that is always full")
	}
	p := publish()
	h := serve(t, p, nil)
	dir := t.TempDir()
	if err := os.Symlink(full, partialName(p, dir)); err != nil {
		t.Fatal(err)
	}
	err := p.Download(t.Context(), dir, h.options())
	if err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("error = %v, want one that says that the disk is full", err)
	}
}

func TestDownloadIntoFile(t *testing.T) {
	p := publish()
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, nil)
	err := p.Download(t.Context(), filepath.Join(file, "models"), model.DownloadOptions{})
	if err == nil || !strings.Contains(err.Error(), "--model-dir") {
		t.Errorf("error = %v, want one that names --model-dir", err)
	}
}

// Several processes may want the model at the same time.
func TestDownloadsAtTheSameTime(t *testing.T) {
	p := publish()
	h := serve(t, p, nil)
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := p.Download(t.Context(), dir, h.options()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	checkState(t, p, dir, model.Genuine)
	if _, err := os.Stat(filepath.Join(dir, ".download.lock")); err == nil {
		t.Error("the lock is left")
	}
	if n := len(h.sent()); n != 3 {
		t.Errorf("%d requests for 3 files: %q", n, h.sent())
	}
}

// Another variant replaces the model and leaves no partial files behind.
func TestDownloadOtherVariant(t *testing.T) {
	p := publish()
	h := serve(t, p, nil)
	dir := t.TempDir()
	p.fill(t, dir, "fp32")
	write(t, partialName(p, dir), content("junk", 100))
	o := h.options()
	o.Variant = "int8"
	if err := p.Download(t.Context(), dir, o); err != nil {
		t.Fatal(err)
	}
	id, err := p.Identify(t.Context(), dir)
	if err != nil || id.Variant != "int8" {
		t.Errorf("identity %+v, %v, want int8", id, err)
	}
	if n := partialBytes(dir); n != 0 {
		t.Errorf("%d bytes of partial files are left", n)
	}
	o.Variant = "fp64"
	if err := p.Download(t.Context(), dir, o); err == nil || !strings.Contains(err.Error(), "fp32, int8") {
		t.Errorf("error = %v, want one that lists the variants", err)
	}
}

func partialName(p *publication, dir string) string {
	return filepath.Join(dir, "model.onnx."+p.Variants[0].File.SHA256[:8]+".partial")
}

func partialBytes(dir string) int64 {
	paths, _ := filepath.Glob(filepath.Join(dir, "model.onnx.*.partial"))
	var n int64
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			n += info.Size()
		}
	}
	return n
}

// waitFor polls for what another process does.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for tick := time.NewTicker(time.Millisecond); !done(); {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("waited in vain")
		}
	}
}
