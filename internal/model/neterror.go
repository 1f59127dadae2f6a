package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// offline is what to do where a server cannot be reached.
const offline = "Check the network and the proxy settings (HTTPS_PROXY), or fetch the files on another machine " +
	"and run: mcp-memory model download --from FOLDER"

// networkError is a connection that failed or broke.
type networkError struct {
	address    string
	err        error
	connecting bool
	timeout    time.Duration
}

func (e *networkError) Unwrap() error { return e.err }

func (e *networkError) Error() string {
	host := e.address
	if u, err := url.Parse(e.address); err == nil {
		host = u.Host
	}
	timeout, _ := errors.AsType[net.Error](e.err)
	switch {
	case errors.Is(e.err, errStalled) && e.connecting:
		return fmt.Sprintf("%s does not answer. %s", host, offline)
	case errors.Is(e.err, errStalled):
		return fmt.Sprintf("%s sent nothing more", host)
	case errors.Is(e.err, io.ErrUnexpectedEOF):
		return fmt.Sprintf("%s cut off the download", host)
	case e.connecting && timeout != nil && timeout.Timeout():
		return fmt.Sprintf("cannot connect to %s: no answer within %v. %s", host, e.timeout, offline)
	case e.connecting:
		return fmt.Sprintf("cannot connect to %s: %v. %s", host, reason(e.err), offline)
	}
	return fmt.Sprintf("the connection to %s broke: %v", host, reason(e.err))
}

// statusError is an answer that is not the file.
type statusError struct {
	address string
	status  string
	code    int
}

func (e *statusError) Error() string {
	switch {
	case e.code == http.StatusNotFound:
		return fmt.Sprintf("%s: not found on the server (404). Check the address given with --from or HF_ENDPOINT", e.address)
	case e.code == http.StatusUnauthorized, e.code == http.StatusForbidden:
		return fmt.Sprintf("%s: the server refuses access (%s). %s", e.address, e.status, offline)
	}
	return fmt.Sprintf("%s: the server answers %s", e.address, e.status)
}

func isNotFound(err error) bool {
	status, ok := errors.AsType[*statusError](err)
	return ok && status.code == http.StatusNotFound
}

// isTransient reports whether another attempt may do better.
func isTransient(err error) bool {
	if status, ok := errors.AsType[*statusError](err); ok {
		return status.code >= 500 || status.code == http.StatusTooManyRequests || status.code == http.StatusRequestTimeout
	}
	_, ok := errors.AsType[*networkError](err)
	return ok
}

// isUnreachable reports whether there was no answer at all.
func isUnreachable(err error) bool {
	network, ok := errors.AsType[*networkError](err)
	return ok && network.connecting
}

// cause prefers what ended a context to the symptom.
func cause(ctx context.Context, err error) error {
	if c := context.Cause(ctx); c != nil {
		return c
	}
	return err
}

// reason strips what repeats the address.
func reason(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
