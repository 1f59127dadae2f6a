package cli

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"mcp-memory/internal/onnx"
	"mcp-memory/internal/paths"
)

// settings are what every command shares. Flags win over the environment,
// which wins over defaults.
type settings struct {
	db       string
	modelDir string
	logLevel string
	idle     string
	library  string // of ONNX Runtime; "" is where it is looked for

	dbNamed     string        // the flag or variable that names db; "" for the default
	level       slog.Level    // of logLevel
	idleTimeout time.Duration // of idle
}

// setting is one flag with its environment variable and default, and how its value is read.
type setting struct {
	flag, variable, standard string
	read                     func(string) (string, error)
}

var (
	dbSetting       = setting{"db", "MCP_MEMORY_DB", paths.Database, expand}
	modelDirSetting = setting{"model-dir", "MCP_MEMORY_MODEL_DIR", paths.Models, expand}
	logLevelSetting = setting{"log-level", "MCP_MEMORY_LOG_LEVEL", "info", asGiven}
	// Clients keep a server open in every window; the model comes back within
	// seconds.
	idleSetting    = setting{"model-idle", "MCP_MEMORY_MODEL_IDLE", "10m", asGiven}
	librarySetting = setting{"onnxruntime", onnx.LibraryVariable, "", expandLibrary}
)

func (s *settings) register(flags *pflag.FlagSet) {
	usage := func(what string, of setting) string {
		return fmt.Sprintf("%s (environment: %s; default: %s)", what, of.variable, cmp.Or(of.standard, "beside the program, or in the cache"))
	}
	flags.StringVar(&s.db, dbSetting.flag, "", usage("`file` of the memory", dbSetting))
	flags.StringVar(&s.modelDir, modelDirSetting.flag, "", usage("`folder` of the embedding model", modelDirSetting))
	flags.StringVar(&s.logLevel, logLevelSetting.flag, "", usage("what to log, a `level`: debug, info, warn or error", logLevelSetting))
	flags.StringVar(&s.idle, idleSetting.flag, "",
		usage("after what `time` without use the model's memory is given back, as 90s, 10m or 2h; 0 is never", idleSetting))
	flags.StringVar(&s.library, librarySetting.flag, "", usage("`file` of the library ONNX Runtime, with which the model computes", librarySetting))
	flags.SortFlags = false
}

// resolve fills in what flags left open.
func (s *settings) resolve(flags *pflag.FlagSet) error {
	for _, one := range []struct {
		of    setting
		value *string
	}{{dbSetting, &s.db}, {modelDirSetting, &s.modelDir}, {logLevelSetting, &s.logLevel}, {idleSetting, &s.idle}, {librarySetting, &s.library}} {
		given := one.of.value(flags, *one.value)
		if given == "" && flags.Changed(one.of.flag) {
			return usageError{fmt.Errorf("%s is empty", one.of.name(flags))}
		}
		value, err := one.of.read(given)
		if err != nil {
			return usageError{fmt.Errorf("%s: %w", one.of.name(flags), err)}
		}
		*one.value = value
	}
	s.dbNamed = dbSetting.named(flags)
	var err error
	if s.idleTimeout, err = time.ParseDuration(s.idle); err != nil || s.idleTimeout < 0 {
		return usageError{fmt.Errorf("%s: %q is not a time such as 90s, 10m or 2h", idleSetting.name(flags), s.idle)}
	}
	if err := s.level.UnmarshalText([]byte(s.logLevel)); err != nil {
		return usageError{fmt.Errorf("%s: %q is not one of debug, info, warn, error", logLevelSetting.name(flags), s.logLevel)}
	}
	return nil
}

// value returns the flag's value if it was given, else that of the
// environment, else the default.
func (s setting) value(flags *pflag.FlagSet, given string) string {
	if flags.Changed(s.flag) {
		return given
	}
	if value := os.Getenv(s.variable); value != "" {
		return value
	}
	return s.standard
}

// name is what the user knows the value by.
func (s setting) name(flags *pflag.FlagSet) string {
	return cmp.Or(s.named(flags), "--"+s.flag)
}

// named is the flag or variable that the value comes from; "" for the default.
func (s setting) named(flags *pflag.FlagSet) string {
	switch {
	case flags.Changed(s.flag):
		return "--" + s.flag
	case os.Getenv(s.variable) != "":
		return s.variable
	}
	return ""
}

// expand replaces a leading ~ by the home folder and makes the path absolute.
// SQLite's ":memory:" stays.
func expand(path string) (string, error) {
	if path == ":memory:" {
		return path, nil
	}
	expanded, err := paths.Expand(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(expanded)
}

func asGiven(value string) (string, error) { return value, nil }

// expandLibrary expands the path of a library. A bare name is for the system's loader.
func expandLibrary(path string) (string, error) {
	if path == "" || path != "~" && filepath.Base(path) == path {
		return path, nil
	}
	return expand(path)
}

// logger logs to w in the chosen detail.
func (s *settings) logger(w interface{ Write([]byte) (int, error) }) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: s.level}))
}
