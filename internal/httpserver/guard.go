package httpserver

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// guarded refuses what a web page could have a browser send: requests to a host
// that is not ours, as when a name is made to point here, and from other sites.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !s.hosts[hostName(r.Host)]:
			http.Error(w, "this host is not served: allow its name with --http-host", http.StatusForbidden)
		case !s.fromHere(r):
			http.Error(w, "requests of other sites' pages are not served", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// fromHere reports whether no page of another site sends the request.
func (s *Server) fromHere(r *http.Request) bool {
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !s.hosts[hostName(u.Host)] {
			return false
		}
		// Behind a proxy the port that pages see is another one than ours.
		if isLoopbackName(hostName(u.Host)) && u.Host != r.Host {
			return false
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site": // another port is another site here
		return isLink(r)
	}
	return true
}

// isLoopbackName reports whether a host is this machine itself, where each port may
// be another program's.
func isLoopbackName(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// isLink reports whether somebody follows a link to a page, which shows it to
// them and not to the site that has the link.
func isLink(r *http.Request) bool {
	return r.Method == http.MethodGet && pathOf(r) == "/" &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// hostName is a host without its port, and in the letters by which it is known.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// CheckHost refuses what is no name or address of a host.
func CheckHost(host string) error {
	name := hostName(host)
	u, err := url.Parse("http://" + strings.TrimSpace(host))
	if name == "" || strings.ContainsAny(host, "/*@?# ") || err != nil || hostName(u.Hostname()) != name {
		return fmt.Errorf("%q is no host name: write it as clients do, such as memory.example.org", host)
	}
	return nil
}
