package cli

import (
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
		idle  time.Duration

		library   string
		arguments []string // that make the same settings again, but for the level
	}{
		{
			name:  "defaults",
			db:    filepath.Join(home, ".config/opencode/mcp-memory/memory.db"),
			model: filepath.Join(home, ".cache/mcp-memory-v2/models"),
			level: slog.LevelInfo,
			idle:  10 * time.Minute,

			arguments: []string{},
		},
		{
			name: "environment",
			env: map[string]string{
				"MCP_MEMORY_DB": "~/a.db", "MCP_MEMORY_MODEL_DIR": elsewhere,
				"MCP_MEMORY_LOG_LEVEL": "debug", "MCP_MEMORY_MODEL_IDLE": "90s", "MCP_MEMORY_ONNXRUNTIME": "~/lib/ort.so",
			},
			db:    filepath.Join(home, "a.db"),
			model: elsewhere,
			level: slog.LevelDebug,
			idle:  90 * time.Second,

			library: filepath.Join(home, "lib", "ort.so"),
			arguments: []string{
				"--db", filepath.Join(home, "a.db"), "--model-dir", elsewhere, "--model-idle", "90s", "--onnxruntime", filepath.Join(home, "lib", "ort.so"),
			},
		},
		{
			name: "flags win",
			env: map[string]string{
				"MCP_MEMORY_DB": "~/a.db", "MCP_MEMORY_MODEL_DIR": "~/b",
				"MCP_MEMORY_LOG_LEVEL": "debug", "MCP_MEMORY_MODEL_IDLE": "90s", "MCP_MEMORY_ONNXRUNTIME": "/ort.so",
			},
			args:  []string{"--db", filepath.Join(elsewhere, "c.db"), "--model-dir=~", "--log-level", "ERROR", "--model-idle", "0", "--onnxruntime", "libonnxruntime.so"},
			db:    filepath.Join(elsewhere, "c.db"),
			model: home,
			level: slog.LevelError,
			idle:  0,

			library: "libonnxruntime.so", // for the system's loader
			arguments: []string{
				"--db", filepath.Join(elsewhere, "c.db"), "--model-dir", home, "--model-idle", "0", "--onnxruntime", "libonnxruntime.so",
			},
		},
		{
			name:  "in memory",
			args:  []string{"--db", ":memory:", "--model-idle=1h30m"},
			db:    ":memory:",
			model: filepath.Join(home, ".cache/mcp-memory-v2/models"),
			level: slog.LevelInfo,
			idle:  90 * time.Minute,

			arguments: []string{"--db", ":memory:", "--model-idle", "1h30m"},
		},
		{
			name:  "the default, otherwise written",
			args:  []string{"--model-idle=600s", "--db=~/.config/opencode/mcp-memory/memory.db"},
			db:    filepath.Join(home, ".config/opencode/mcp-memory/memory.db"),
			model: filepath.Join(home, ".cache/mcp-memory-v2/models"),
			level: slog.LevelInfo,
			idle:  10 * time.Minute,

			arguments: []string{},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, name := range []string{"MCP_MEMORY_DB", "MCP_MEMORY_MODEL_DIR", "MCP_MEMORY_LOG_LEVEL", "MCP_MEMORY_MODEL_IDLE", "MCP_MEMORY_ONNXRUNTIME"} {
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
			if s.db != test.db || s.modelDir != test.model || s.level != test.level || s.idleTimeout != test.idle || s.library != test.library {
				t.Errorf("settings %+v, want db %s, model folder %s, level %v, idle %v, library %s", s, test.db, test.model, test.level, test.idle, test.library)
			}
			if diff := cmp.Diff(test.arguments, s.arguments()); diff != "" {
				t.Errorf("arguments for a client (-want +got):\n%s", diff)
			}
		})
	}
}

// A value that is refused goes by the name that it was given under.
func TestRefusedSettings(t *testing.T) {
	for _, test := range []struct {
		env  map[string]string
		args []string
		want string
	}{
		{args: []string{"--db", ""}, want: "--db is empty"},
		{args: []string{"--onnxruntime="}, want: "--onnxruntime is empty"},
		{args: []string{"--model-idle", ""}, want: "--model-idle is empty"},
		{args: []string{"--model-idle", "10"}, want: `--model-idle: "10" is not a time such as 90s, 10m or 2h`},
		{args: []string{"--model-idle=-1s"}, want: `--model-idle: "-1s" is not a time such as 90s, 10m or 2h`},
		{
			env:  map[string]string{"MCP_MEMORY_MODEL_IDLE": "never"},
			want: `MCP_MEMORY_MODEL_IDLE: "never" is not a time such as 90s, 10m or 2h`,
		},
	} {
		t.Run(test.want, func(t *testing.T) {
			for name, value := range test.env {
				t.Setenv(name, value)
			}
			flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
			var s settings
			s.register(flags)
			if err := flags.Parse(test.args); err != nil {
				t.Fatal(err)
			}
			err := s.resolve(flags)
			if err == nil || err.Error() != test.want {
				t.Errorf("error = %v, want %s", err, test.want)
			}
			if _, ok := errors.AsType[usageError](err); !ok {
				t.Errorf("%v is no usage error", err)
			}
		})
	}
}
