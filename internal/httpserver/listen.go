package httpserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
)

// Listen opens the address of a server: "PORT", ":PORT" or "HOST:PORT", where
// port 0 is a free one and no host is 127.0.0.1. Without a token it refuses
// addresses that others can reach.
func Listen(ctx context.Context, address string, withToken bool) (net.Listener, error) {
	if err := CheckAddress(address, withToken); err != nil {
		return nil, err
	}
	host, port, err := split(address)
	if err != nil {
		return nil, err
	}
	network := "tcp"
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is4() {
		network = "tcp4" // else 0.0.0.0 would be all of IPv6, too
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, network, net.JoinHostPort(host, port))
	switch at := net.JoinHostPort(host, port); {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("another program listens on %s: choose another port, or 0 for a free one", at)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%s is not for all users: choose a port from 1024 on, or 0 for a free one", at)
	case err != nil:
		return nil, fmt.Errorf("listening on %s: %w", at, err)
	}
	return l, nil
}

// CheckAddress says what is wrong with the address of a server by itself, whether or not
// it is free.
func CheckAddress(address string, withToken bool) error {
	host, port, err := split(address)
	if err == nil && !withToken && !isLoopback(host) {
		err = fmt.Errorf("%s can be reached by others, so it needs a token: name a file with --http-token-file or set MCP_MEMORY_HTTP_TOKEN, or listen on 127.0.0.1:%s", address, port)
	}
	return err
}

// split returns the host and port to listen on.
func split(address string) (host, port string, err error) {
	if !strings.Contains(address, ":") {
		address = ":" + address
	}
	host, port, err = net.SplitHostPort(address)
	if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || n > 65535 {
		return "", "", fmt.Errorf("%q is no address: write a port, as 8080, or a host and a port, as 127.0.0.1:8080", strings.TrimPrefix(address, ":"))
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return host, port, nil
}

// isLoopback reports whether a host is this machine to itself.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// URL is where a page of a server on this listener is seen on this machine.
func URL(l net.Listener) string {
	host, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return "http://" + l.Addr().String()
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}
