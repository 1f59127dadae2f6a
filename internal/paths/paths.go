// Package paths says where things lie on the user's machine: the places that
// are documented, and what a path that a person or a client wrote means.
package paths

import (
	"fmt"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
)

// The documented places, to be expanded.
const (
	Database = "~/.config/opencode/mcp-memory/memory.db"
	Models   = "~/.cache/mcp-memory-v2/models"
)

var (
	// home is how clients and shells name the home folder. Some clients pass it on as
	// it stands in their configuration.
	home = regexp.MustCompile(`^(?:~|\$HOME|\$?\{(?:env:)?(?:HOME|USERPROFILE)\}|\$\{userHome\}|\$(?i:env):(?i:HOME|USERPROFILE)|%(?i:USERPROFILE)%)(?:[/\\]|$)`)
	// unreplaced is at the start of a part of a path what a shell or a client should have replaced: a
	// folder of such a name is not what was meant.
	unreplaced = regexp.MustCompile(`^(?:(?:\$(?i:env:)?[A-Za-z_][A-Za-z0-9_]*|%[A-Za-z_][A-Za-z0-9_]*%)(?:[/\\]|$)|\$\{[^/\\]*\}|\{env:[^/\\]*\}|\$\([^()]*\))`)
	// another is the home folder of another user.
	another = regexp.MustCompile(`^~[A-Za-z_][A-Za-z0-9_.-]*[/\\]`)
	fileURL = regexp.MustCompile(`^(?i:file):/`)
)

// Expand replaces a leading ~, or variable of the home folder, and takes away outer
// blanks, quotes and file:, which come from configuration files. What else should
// have been replaced is an error, unless there is a file or folder of that name.
func Expand(path string) (string, error) {
	path, err := plain(path)
	if err != nil {
		return "", err
	}
	folder := ""
	if prefix := home.FindString(path); prefix != "" {
		if folder, err = Home(); err != nil {
			return "", fmt.Errorf("no home folder for %s: %w", path, err)
		}
		path = path[len(prefix):]
	} else if found := trimmed(another.FindString(path)); found != "" && !exists(found) {
		return "", fmt.Errorf("%s stands for the home folder of another user, which was not replaced: write the path out", found)
	}
	for start, end := 0, 0; start <= len(path); start = end + 1 {
		end = len(path)
		if n := strings.IndexAny(path[start:], `/\`); n >= 0 {
			end = start + n
		}
		if found := trimmed(unreplaced.FindString(path[start:])); found != "" && !exists(filepath.Join(folder, path[:end])) {
			what := "a variable"
			if strings.HasPrefix(found, "$(") {
				what = "a command"
			}
			return "", fmt.Errorf("%s stands for %s that was not replaced: write the path out", found, what)
		}
	}
	if folder == "" {
		return path, nil
	}
	return filepath.Join(folder, path), nil
}

func trimmed(part string) string { return strings.TrimRight(part, `/\`) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// plain is the path without what is around it.
func plain(path string) (string, error) {
	path = strings.TrimSpace(path)
	if n := len(path); n > 1 && path[0] == path[n-1] && (path[0] == '"' || path[0] == '\'') {
		path = path[1 : n-1]
	}
	if !fileURL.MatchString(path) {
		return path, nil
	}
	u, err := url.Parse(path)
	if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" {
		return "", fmt.Errorf("%s is not the URL of a file here", path)
	}
	if len(u.Path) > 2 && u.Path[2] == ':' { // a drive of Windows, as in /C:/notes
		return u.Path[1:], nil
	}
	return u.Path, nil
}

// Home is the user's home folder, by the system's list of users where the environment
// doesn't tell: some clients start servers without one.
func Home() (string, error) {
	folder, err := os.UserHomeDir()
	if err == nil {
		return folder, nil
	}
	if u, unknown := user.Current(); unknown == nil && u.HomeDir != "" {
		return u.HomeDir, nil
	}
	return "", err
}
