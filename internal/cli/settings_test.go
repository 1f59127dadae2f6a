package cli

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"
)

func TestSettings(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home) // Windows
	elsewhere := t.TempDir()
	tests := []struct {
		name  string
		env   map[string]string
		args  []string
		db    string
		model string
		level slog.Level
	}{
		{
			name:  "defaults",
			db:    filepath.Join(home, ".config/opencode/mcp-memory/memory.db"),
			model: filepath.Join(home, ".cache/mcp-memory-v2/models"),
			level: slog.LevelInfo,
		},
		{
			name:  "environment",
			env:   map[string]string{"MCP_MEMORY_DB": "~/a.db", "MCP_MEMORY_MODEL_DIR": elsewhere, "MCP_MEMORY_LOG_LEVEL": "debug"},
			db:    filepath.Join(home, "a.db"),
			model: elsewhere,
			level: slog.LevelDebug,
		},
		{
			name:  "flags win",
			env:   map[string]string{"MCP_MEMORY_DB": "~/a.db", "MCP_MEMORY_MODEL_DIR": "~/b", "MCP_MEMORY_LOG_LEVEL": "debug"},
			args:  []string{"--db", filepath.Join(elsewhere, "c.db"), "--model-dir=~", "--log-level", "ERROR"},
			db:    filepath.Join(elsewhere, "c.db"),
			model: home,
			level: slog.LevelError,
		},
		{
			name:  "in memory",
			args:  []string{"--db", ":memory:"},
			db:    ":memory:",
			model: filepath.Join(home, ".cache/mcp-memory-v2/models"),
			level: slog.LevelInfo,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, name := range []string{"MCP_MEMORY_DB", "MCP_MEMORY_MODEL_DIR", "MCP_MEMORY_LOG_LEVEL"} {
				t.Setenv(name, test.env[name])
			}
			flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
			var s settings
			s.register(flags)
			if err := flags.Parse(test.args); err != nil {
				t.Fatal(err)
			}
			if err := s.resolve(flags); err != nil {
				t.Fatal(err)
			}
			if s.db != test.db || s.modelDir != test.model || s.level != test.level {
				t.Errorf("settings %+v, want db %s, model folder %s, level %v", s, test.db, test.model, test.level)
			}
		})
	}
}

func TestEmptySettings(t *testing.T) {
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	var s settings
	s.register(flags)
	if err := flags.Parse([]string{"--db", ""}); err != nil {
		t.Fatal(err)
	}
	if err := s.resolve(flags); err == nil || err.Error() != "--db is empty" {
		t.Errorf("error = %v, want that --db is empty", err)
	}
}
