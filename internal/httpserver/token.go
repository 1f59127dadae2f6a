package httpserver

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
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

const (
	minToken = 16   // characters
	maxToken = 4096 // bytes of a file
)

// ReadToken reads a token from a file that nobody but its owner can read.
// Blanks around it do not count.
func ReadToken(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("reading the token: %w", err)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a file", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("others can read %s: run chmod 600 %s", path, path)
	case info.Size() > maxToken:
		return "", fmt.Errorf("%s has %d bytes, more than a token: at most %d", path, info.Size(), maxToken)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	token := strings.TrimSpace(string(content))
	if err := CheckToken(token); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return token, nil
}

// CheckToken refuses tokens that are easily guessed, or no header can carry.
func CheckToken(token string) error {
	if len(token) < minToken {
		return fmt.Errorf("the token has %d characters: at least %d are needed, as of openssl rand -hex 32", len(token), minToken)
	}
	for _, c := range []byte(token) {
		if c <= ' ' || c > '~' {
			return errors.New("the token must be of ASCII letters, digits and signs, without blanks")
		}
	}
	return nil
}
