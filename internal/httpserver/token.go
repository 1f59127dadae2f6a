package httpserver

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// token is a bearer token by its hash, so that comparing tells neither its
// letters nor its length.
type token struct{ hash [sha256.Size]byte }

func newToken(secret string) *token { return &token{sha256.Sum256([]byte(secret))} }

// NewToken makes a token that nobody guesses.
func NewToken() string { return rand.Text() }

// authorized answers only requests that carry the token, if one is demanded.
func (s *Server) authorized(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.token == nil || s.token.isOf(r) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="mcp-memory"`)
		http.Error(w, "a token is needed: send the header Authorization: Bearer TOKEN", http.StatusUnauthorized)
	})
}

func (t *token) isOf(r *http.Request) bool {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	hash := sha256.Sum256([]byte(strings.TrimSpace(secret)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(hash[:], t.hash[:]) == 1
}
