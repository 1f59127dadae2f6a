package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"mcp-memory/internal/sqlite"
)

func (p Program) versionCommand(out io.Writer) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Example: `  mcp-memory version
  mcp-memory version --json`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return writeJSON(out, p.build())
			}
			_, err := fmt.Fprintln(out, p.versionLine())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// build is what the program was made from.
type build struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Schema   int64  `json:"schema_version"` // of the databases that it works with
}

func (p Program) build() build {
	return build{p.version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, sqlite.LatestVersion()}
}

// version is what the linker was given, or what Go stamped on the build.
func (p Program) version() string {
	if p.Version != "" {
		return p.Version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "development"
	}
	return info.Main.Version
}

func (p Program) versionLine() string {
	b := p.build()
	return fmt.Sprintf("mcp-memory %s (%s, %s)", b.Version, b.Go, b.Platform)
}
