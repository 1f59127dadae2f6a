package clients

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"mcp-memory/internal/paths"
)

// System is what the places of configuration files depend on. It is given as
// values, so that the places on one system can be told on another.
type System struct {
	OS     string // as runtime.GOOS
	Home   string
	Env    func(name string) string
	Exists func(path string) bool
	List   func(folder string) []string // names in a folder, none if it can't be read
	OnPath func(program string) bool
}

// Here is the system that this program runs on.
func Here() (System, error) {
	home, err := paths.Home()
	if err != nil {
		return System{}, fmt.Errorf("looking for the configuration of clients: %w", err)
	}
	return System{
		OS:   runtime.GOOS,
		Home: home,
		Env:  os.Getenv,
		Exists: func(path string) bool {
			_, err := os.Stat(path)
			return err == nil
		},
		List: func(folder string) []string {
			entries, _ := os.ReadDir(folder)
			names := make([]string, len(entries))
			for i, entry := range entries {
				names[i] = entry.Name()
			}
			return names
		},
		OnPath: func(program string) bool {
			_, err := exec.LookPath(program)
			return err == nil
		},
	}, nil
}

// join joins the parts of a path as the system writes it. Parts may hold slashes.
func (s System) join(parts ...string) string {
	path := strings.Join(parts, "/")
	if s.OS == "windows" {
		return strings.ReplaceAll(path, "/", `\`)
	}
	return path
}

// home is a path below the home folder.
func (s System) home(path string) string { return s.join(s.Home, path) }

// folder is the folder that a variable names, or one below the home folder.
func (s System) folder(variable, standard string) string {
	if folder := s.Env(variable); folder != "" {
		return folder
	}
	return s.home(standard)
}

// xdg is where programs that follow the XDG rules keep their settings.
func (s System) xdg() string { return s.folder("XDG_CONFIG_HOME", ".config") }

// roaming is where desktop programs keep the settings of a user.
func (s System) roaming() string {
	switch s.OS {
	case "windows":
		return s.folder("APPDATA", "AppData/Roaming")
	case "darwin":
		return s.home("Library/Application Support")
	}
	return s.xdg()
}

// local is where Windows programs keep what belongs to one machine.
func (s System) local() string { return s.folder("LOCALAPPDATA", "AppData/Local") }

// first is the first of some paths that exists, or else the last.
func (s System) first(paths ...string) string {
	for _, path := range paths {
		if s.Exists(path) {
			return path
		}
	}
	return paths[len(paths)-1]
}

// expand resolves ~ and the forms in which clients write variables. What it
// doesn't know stays.
func (s System) expand(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || strings.ContainsRune(`/\`, rune(rest[0]))) {
		path = s.Home + rest
	}
	for _, name := range []string{"HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "USER", "USERNAME"} {
		value := s.Env(name)
		if name == "HOME" || name == "USERPROFILE" {
			value = s.Home
		}
		if value == "" {
			continue
		}
		for _, form := range []string{"${env:" + name + "}", "{env:" + name + "}", "${" + name + "}", "%" + name + "%"} {
			path = strings.ReplaceAll(path, form, value)
		}
		if rest, ok := strings.CutPrefix(path, "$"+name); ok && (rest == "" || strings.ContainsRune(`/\`, rune(rest[0]))) {
			path = value + rest
		}
	}
	return strings.ReplaceAll(path, "${userHome}", s.Home)
}

// absolute says whether a path is one on this system.
func (s System) absolute(path string) bool {
	if s.OS == "windows" {
		return len(path) > 2 && path[1] == ':' && strings.ContainsRune(`/\`, rune(path[2])) || strings.HasPrefix(path, `\\`)
	}
	return filepath.IsAbs(path)
}
