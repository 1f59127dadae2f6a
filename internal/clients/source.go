package clients

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"time"

	"mcp-memory/internal/paths"
)

// Source is where another server keeps its memory.
type Source struct {
	Path   string // its file, if it is there
	Reason string // why there is none
	// Elsewhere says that there may be a memory all the same, at a place that is
	// not known or can't be read here.
	Elsewhere bool
	Remedy    string // a command line that gets it out, if there is one
}

// memoryVariable names the file of the official server.
const memoryVariable = "MEMORY_FILE_PATH"

func nothingIn(path string) Source {
	if _, err := os.Stat(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Source{Reason: fmt.Sprintf("its file can't be read: %v", err), Elsewhere: true}
	}
	return Source{Reason: "it has stored nothing yet in " + path}
}

// Memory tells where the server keeps its memory. Official and Python servers only.
func (s Server) Memory(system System, kind Kind) Source {
	l := s.launch()
	switch {
	case l.unclear:
		return Source{Reason: "it is started by a script, which may keep its memory anywhere", Elsewhere: true}
	case kind == Official:
		return l.officialMemory(system)
	}
	path := l.pythonMemory(system)
	if !system.Exists(path) {
		return nothingIn(path)
	}
	return Source{Path: path}
}

func (l launch) officialMemory(system System) Source {
	if c, ok := l.container(); ok {
		return c.source(system)
	}
	for _, word := range l.words { // what programs that set variables are given
		if strings.HasPrefix(word, memoryVariable+"=") {
			l.set(word)
		}
	}
	written := l.env[memoryVariable]
	path := system.expand(written)
	switch {
	case path != "" && system.absolute(path) && system.Exists(path):
		return Source{Path: path}
	case unresolved.MatchString(path):
		return Source{Reason: "its file is " + path + ", which only the client can resolve", Elsewhere: true}
	case path != "" && system.absolute(path):
		source := nothingIn(path)
		// Not all clients resolve what is written there.
		source.Elsewhere = source.Elsewhere || path != written
		return source
	}
	return l.packageMemory(system, path)
}

// unresolved is what variables look like.
var unresolved = regexp.MustCompile(`\$|\{env:|%[A-Za-z_]+%`)

// packageMemory: without a path of its own, or with a relative one, the file
// lies in the folder of the package.
func (l launch) packageMemory(system System, relative string) Source {
	npx := false
	for _, word := range l.words {
		word = slashed(word)
		name := programName(word)
		npx = npx || name == "npx" || name == "npm"
		if !officialScript.MatchString(word) {
			continue
		}
		folder := system.expand(word[:max(strings.LastIndexByte(word, '/'), 0)])
		files := filesIn(system, folder, relative)
		switch {
		case !system.absolute(folder) || !system.Exists(folder):
			return Source{Reason: "its folder " + folder + " was not found", Elsewhere: true}
		case len(files) == 0:
			return nothingIn(system.join(folder, cmp.Or(relative, "memory.jsonl")))
		}
		return newest(files)
	}
	if !npx || l.moved {
		return Source{Reason: "its file lies in the folder of its package, which its entry does not tell", Elsewhere: true}
	}
	// npx keeps packages in its cache.
	var files []string
	cache := l.npxCache(system)
	for _, name := range system.List(cache) {
		files = append(files, filesIn(system, system.join(cache, name, "node_modules/@modelcontextprotocol/server-memory/dist"), relative)...)
	}
	if len(files) == 0 {
		return Source{Reason: "it has stored nothing yet, or in another place than " + cache + ", where npx keeps its packages", Elsewhere: true}
	}
	return newest(files)
}

// filesIn lists the memory files in a folder of the official package.
func filesIn(system System, folder, relative string) []string {
	names := []string{"memory.jsonl", "memory.json"}
	if relative != "" {
		names = []string{relative}
	}
	var files []string
	for _, name := range names {
		if file := system.join(folder, name); system.Exists(file) {
			files = append(files, file)
			break
		}
	}
	return files
}

// newest is the file that was written last: npx keeps every version that it
// ever ran, each with a memory of its own.
func newest(files []string) Source {
	if len(files) == 1 {
		return Source{Path: files[0]}
	}
	var path string
	var last time.Time
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && (path == "" || info.ModTime().After(last)) {
			path, last = file, info.ModTime()
		}
	}
	if path == "" {
		return Source{Reason: fmt.Sprintf("its file %s can't be read", files[0]), Elsewhere: true}
	}
	return Source{Path: path}
}

// npxCache is where npx keeps packages, with the variables of an entry.
func (l launch) npxCache(s System) string {
	for _, name := range []string{"npm_config_cache", "NPM_CONFIG_CACHE"} {
		if folder := cmp.Or(l.env[name], s.Env(name)); folder != "" {
			return s.join(s.expand(folder), "_npx")
		}
	}
	switch home := l.env["HOME"]; {
	case s.OS == "windows":
		return s.join(s.local(), "npm-cache/_npx")
	case home != "":
		return s.join(s.expand(home), ".npm/_npx")
	}
	return s.home(".npm/_npx")
}

// pythonMemory is where the forerunner keeps its database, which depends on the
// home folder only.
func (l launch) pythonMemory(system System) string {
	home := system.Home
	if own := l.env["HOME"]; own != "" && system.OS != "windows" {
		home = system.expand(own)
	}
	return system.join(home, strings.TrimPrefix(paths.Database, "~/"))
}
