package onnx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	ort "github.com/yalue/onnxruntime_go"

	"mcp-memory/internal/memory"

	"mcp-memory/internal/paths"
)

// LibraryVariable names the environment variable that overrides the search for
// ONNX Runtime.
const LibraryVariable = "MCP_MEMORY_ONNXRUNTIME"

// libraryVersion is the release of ONNX Runtime that is built and tested with.
const libraryVersion = "1.24.4"

// environment guards ONNX Runtime's process-wide state. Once opened it stays.
var environment sync.Mutex

// CheckLibrary loads ONNX Runtime from a path, or "" from where it is found, or says
// why it cannot be.
func CheckLibrary(path string) error { return openLibrary(path) }

// openLibrary loads ONNX Runtime once a process; later calls do nothing.
func openLibrary(explicit string) error {
	environment.Lock()
	defer environment.Unlock()
	if ort.IsInitialized() {
		return nil
	}
	paths := libraryPaths(explicit)
	var failures []error
	for _, path := range paths {
		ort.SetSharedLibraryPath(path)
		err := ort.InitializeEnvironment(ort.WithLogLevelError())
		if err == nil {
			_ = ort.DisableTelemetry()
			return nil
		}
		if _, missing := os.Stat(path); missing == nil || len(paths) == 1 {
			failures = append(failures, err)
		}
	}
	if len(failures) > 0 {
		err := errors.Join(failures...)
		return &memory.ModelError{Reason: "the library ONNX Runtime cannot be loaded", Err: err}
	}
	return &memory.ModelError{Reason: fmt.Sprintf("the library ONNX Runtime %s was not found beside the program or in the cache; "+
		"put %s beside the program, or set %s to its path", libraryVersion, libraryNames(runtime.GOOS)[0], LibraryVariable)}
}

// libraryPaths lists where ONNX Runtime may lie, best first. The last ones are
// bare names, which the system's loader looks up.
func libraryPaths(explicit string) []string {
	if explicit == "" {
		explicit = os.Getenv(LibraryVariable)
	}
	if explicit != "" {
		return []string{explicit}
	}
	names := libraryNames(runtime.GOOS)
	var paths []string
	for _, dir := range libraryDirs() {
		for _, name := range names {
			if path := filepath.Join(dir, name); isFile(path) {
				paths = append(paths, path)
			}
		}
	}
	return append(paths, names...)
}

// libraryDirs lists the program's folder and the caches of native libraries.
func libraryDirs() []string {
	var dirs []string
	if program, err := os.Executable(); err == nil {
		dirs = append(dirs, filepath.Dir(program))
		if real, err := filepath.EvalSymlinks(program); err == nil && filepath.Dir(real) != dirs[0] {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		home, err := paths.Home()
		if err != nil {
			return dirs
		}
		cache = filepath.Join(home, ".cache")
	}
	root := filepath.Join(cache, "mcp-memory")
	entries, err := os.ReadDir(root)
	if err != nil {
		return dirs
	}
	var cached []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "onnxruntime-") {
			cached = append(cached, filepath.Join(root, e.Name()))
		}
	}
	slices.SortFunc(cached, func(a, b string) int { return strings.Compare(b, a) }) // newest version first
	return append(dirs, cached...)
}

// libraryNames lists the file names of ONNX Runtime on a system, best first.
func libraryNames(goos string) []string {
	switch goos {
	case "windows":
		return []string{"onnxruntime.dll"}
	case "darwin":
		return []string{"libonnxruntime." + libraryVersion + ".dylib", "libonnxruntime.dylib"}
	}
	return []string{"libonnxruntime.so." + libraryVersion, "libonnxruntime.so.1", "libonnxruntime.so"}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
