// Package schemas holds the definitions of the tools, as clients see them.
package schemas

import "embed"

// Files has one generated file a tool, named after it.
//
//go:embed *.json
var Files embed.FS
