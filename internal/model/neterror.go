package model

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// offline is what to do where a server cannot be reached.
const offline = "Check the network and the proxy settings (HTTPS_PROXY), name a mirror of the model hub in HF_ENDPOINT, " +
	"or fetch the files on another machine and run: mcp-memory model download --from FOLDER"

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
	switch {
	case errors.Is(e.err, errStalled) && e.connecting:
		return fmt.Sprintf("%s does not answer. %s", host, offline)
	case errors.Is(e.err, errStalled):
		return fmt.Sprintf("%s sent nothing more", host)
	case errors.Is(e.err, io.ErrUnexpectedEOF), errors.Is(e.err, io.EOF), errors.Is(e.err, syscall.ECONNRESET):
		return fmt.Sprintf("%s cut off the download", host)
	case e.connecting:
		return fmt.Sprintf("cannot reach %s: %s. %s", host, e.obstacle(), offline)
	}
	return fmt.Sprintf("the connection to %s broke: %v", host, reason(e.err))
}

// obstacle says in plain words what kept a connection from being made.
func (e *networkError) obstacle() string {
	subject := "it"
	op, ok := errors.AsType[*net.OpError](e.err)
	if ok && (op.Op == "proxyconnect" || strings.HasPrefix(op.Op, "socks")) {
		subject = "the proxy"
	}
	name, unresolved := errors.AsType[*net.DNSError](e.err)
	timeout, timed := errors.AsType[net.Error](e.err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](e.err)
	_, noTLS := errors.AsType[tls.RecordHeaderError](e.err)
	text := reason(e.err).Error()
	switch {
	case unresolved && subject == "it":
		return "the name cannot be resolved"
	case unresolved:
		return fmt.Sprintf("the name of the proxy, %s, cannot be resolved", name.Name)
	case timed && timeout.Timeout():
		return fmt.Sprintf("no answer from %s within %v", subject, e.timeout)
	case errors.Is(e.err, syscall.ECONNREFUSED):
		return subject + " refuses the connection"
	case errors.Is(e.err, syscall.ENETUNREACH), errors.Is(e.err, syscall.EHOSTUNREACH):
		return "there is no route to " + subject
	case untrusted:
		return subject + " shows a certificate that is not trusted here, as programs that inspect the traffic do"
	case noTLS, strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return subject + " does not speak HTTPS"
	case text == http.StatusText(http.StatusProxyAuthRequired):
		return "the proxy asks for a name and a password"
	}
	return text
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
