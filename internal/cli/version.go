package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

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
	return fmt.Sprintf("mcp-memory %s (%s, %s/%s)", p.version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
