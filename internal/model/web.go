package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxIdleRetries is how many attempts in a row may bring no new byte.
const maxIdleRetries = 5

// errStalled is the cause of a request that was given up.
var errStalled = errors.New("the server sent nothing more")

// web is a source on HTTP servers.
type web struct {
	client    *http.Client
	addresses func(File) []string // where a file may lie, best first
	options   DownloadOptions
}

func newWeb(o DownloadOptions, addresses func(File) []string) *web {
	transport := http.DefaultTransport.(*http.Transport).Clone() // proxies come from the environment
	transport.DialContext = (&net.Dialer{Timeout: o.ConnectTimeout, KeepAlive: 30 * time.Second}).DialContext
	transport.TLSHandshakeTimeout = o.ConnectTimeout
	transport.DisableCompression = true // ranges count bytes of the file itself
	return &web{client: &http.Client{Transport: transport}, addresses: addresses, options: o}
}

// fetch tries the addresses in turn and goes on after interruptions, as long
// as each few attempts bring something new.
func (s *web) fetch(ctx context.Context, f File, partial string) (string, error) {
	defer s.client.CloseIdleConnections()
	addresses := s.addresses(f)
	highest, idle := int64(0), 0
	for {
		err := s.attempt(ctx, addresses[0], f, partial)
		have := sizeOf(partial)
		switch {
		case err == nil:
			return addresses[0], nil
		case ctx.Err() != nil:
			return addresses[0], fmt.Errorf("%s: interrupted; run the command again to go on (%w)", f.Name, context.Cause(ctx))
		case isNotFound(err) && len(addresses) > 1:
			addresses = addresses[1:]
			continue
		case isNotFound(err):
			return addresses[0], fmt.Errorf("%w. Looked at %s", err, strings.Join(s.addresses(f), ", "))
		case !isTransient(err), isUnreachable(err) && have == 0:
			return addresses[0], err
		}
		if have > highest {
			highest, idle = have, 0
		}
		if idle++; idle > maxIdleRetries {
			return addresses[0], fmt.Errorf("%w. %s of %s are kept: run the command again to go on", err, FormatSize(have), FormatSize(f.Size))
		}
		wait := s.options.Backoff(idle)
		s.options.Progress(Progress{Note: fmt.Sprintf("%v: going on at %s in %v", err, FormatSize(have), wait)})
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// attempt makes one request for what partial lacks.
func (s *web) attempt(ctx context.Context, address string, f File, partial string) error {
	out, err := os.OpenFile(partial, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	have, err := usable(out, f.Size)
	if err != nil || have == f.Size {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := time.AfterFunc(s.options.ConnectTimeout+s.options.StallTimeout, func() { cancel(errStalled) })
	defer stall.Stop()

	response, err := s.request(ctx, address, have)
	if err != nil {
		broken := errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)
		return &networkError{address: address, err: cause(ctx, err), connecting: !broken, timeout: s.options.ConnectTimeout}
	}
	defer response.Body.Close()
	start, err := position(response, address, f, have)
	if err != nil {
		return err
	}
	if start < have { // the server ignores ranges
		if err := out.Truncate(start); err != nil {
			return err
		}
	}
	if _, err := out.Seek(start, io.SeekStart); err != nil {
		return err
	}
	report := &reporter{file: f, done: start, progress: s.options.Progress}
	body := &watchedReader{r: response.Body, stall: stall, timeout: s.options.StallTimeout}
	n, err := io.Copy(io.MultiWriter(out, report), io.LimitReader(body, f.Size-start))
	switch {
	case body.err != nil:
		return &networkError{address: address, err: cause(ctx, body.err)}
	case err != nil:
		return err
	case start+n < f.Size:
		return &networkError{address: address, err: io.ErrUnexpectedEOF}
	}
	return out.Close()
}

// usable returns how much of an unfinished file can be kept.
func usable(out *os.File, want int64) (int64, error) {
	info, err := out.Stat()
	if err != nil {
		return 0, err
	}
	if info.Size() > want {
		return 0, out.Truncate(0)
	}
	return info.Size(), nil
}

func (s *web) request(ctx context.Context, address string, have int64) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "mcp-memory")
	if have > 0 {
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	return s.client.Do(r)
}

// position returns the byte of the file at which a response's body starts. It
// refuses responses that cannot be the file before they are read.
func position(response *http.Response, address string, f File, have int64) (int64, error) {
	start, total := int64(0), response.ContentLength
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusPartialContent:
		var ok bool
		if start, total, ok = parseContentRange(response.Header.Get("Content-Range")); !ok || start != have {
			return 0, &statusError{address: address, status: "a range that was not asked for"}
		}
	case http.StatusRequestedRangeNotSatisfiable:
		return 0, &wrongBytesError{file: f, from: address, sha256: "unknown (it is shorter)"}
	default:
		return 0, &statusError{address: address, status: response.Status, code: response.StatusCode}
	}
	if total >= 0 && total != f.Size {
		return 0, fmt.Errorf("%s is not the published %s: it has %d bytes, expected %d; "+
			"check the address (a login page of the network, or another version?)", address, f.Name, total, f.Size)
	}
	return start, nil
}

// parseContentRange reads "bytes START-END/TOTAL"; an unknown total is -1.
func parseContentRange(s string) (start, total int64, ok bool) {
	s, found := strings.CutPrefix(s, "bytes ")
	if !found {
		return 0, 0, false
	}
	positions, size, found := strings.Cut(s, "/")
	if !found {
		return 0, 0, false
	}
	first, _, found := strings.Cut(positions, "-")
	if !found {
		return 0, 0, false
	}
	start, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return 0, 0, false
	}
	if total, err = strconv.ParseInt(size, 10, 64); err != nil {
		total = -1
	}
	return start, total, true
}

// watchedReader moves a deadline with each byte and tells errors of reading
// from those of writing.
type watchedReader struct {
	r       io.Reader
	stall   *time.Timer
	timeout time.Duration
	err     error
}

func (w *watchedReader) Read(p []byte) (int, error) {
	w.stall.Reset(w.timeout)
	n, err := w.r.Read(p)
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
