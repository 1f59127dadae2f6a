package clients

import (
	"fmt"
	"os"
	"strings"
	"time"

	"mcp-memory/internal/paths"
)

// Memory is where the server keeps its memory, if that can be told and is
// there. Otherwise the reason says why not. Official and Python servers only.
func (s Server) Memory(system System, kind Kind) (path, reason string) {
	switch kind {
	case Official:
		path, reason = s.officialMemory(system)
	case Python:
		path = s.pythonMemory(system)
	}
	if reason == "" && !system.Exists(path) {
		return "", "it has stored nothing yet in " + path
	}
	return path, reason
}

func (s Server) officialMemory(system System) (path, reason string) {
	path = system.expand(s.Env["MEMORY_FILE_PATH"])
	switch {
	case strings.Contains(path, "${") || strings.Contains(path, "{env:"):
		return "", "its file is " + path + ", which only the client can resolve"
	case path != "" && system.absolute(path):
		return path, ""
	}
	for _, word := range append([]string{s.Command}, s.Args...) {
		slashed := strings.ReplaceAll(word, `\`, "/")
		switch {
		case officialImage.MatchString(slashed):
			return "", "it keeps its file inside a container: copy it out (docker cp), and import it with `migrate`"
		case officialScript.MatchString(slashed):
			return newest(s.filesIn(system, slashed[:strings.LastIndexByte(slashed, '/')], path))
		}
	}
	// Without a path of its own, or with a relative one, the file lies in the
	// package, which npx keeps in its cache.
	var files []string
	cache := system.npxCache()
	for _, name := range system.List(cache) {
		files = append(files, s.filesIn(system, system.join(cache, name, "node_modules/@modelcontextprotocol/server-memory/dist"), path)...)
	}
	if len(files) == 0 {
		return "", "it has stored nothing yet in its package, or in another place than " + cache
	}
	return newest(files)
}

// filesIn lists the memory files in a folder of the official package.
func (s Server) filesIn(system System, folder, relative string) []string {
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
func newest(files []string) (path, reason string) {
	if len(files) == 0 {
		return "", "it has stored nothing yet"
	}
	var last time.Time
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && (path == "" || info.ModTime().After(last)) {
			path, last = file, info.ModTime()
		}
	}
	if path == "" {
		return "", fmt.Sprintf("its file %s can't be read", files[0])
	}
	return path, ""
}

func (s System) npxCache() string {
	switch {
	case s.Env("npm_config_cache") != "":
		return s.join(s.Env("npm_config_cache"), "_npx")
	case s.OS == "windows":
		return s.join(s.local(), "npm-cache/_npx")
	}
	return s.home(".npm/_npx")
}

// pythonMemory is where the forerunner keeps its database, which depends on the
// home folder only.
func (s Server) pythonMemory(system System) string {
	home := system.Home
	if own := s.Env["HOME"]; own != "" && system.OS != "windows" {
		home = system.expand(own)
	}
	return system.join(home, strings.TrimPrefix(paths.Database, "~/"))
}
