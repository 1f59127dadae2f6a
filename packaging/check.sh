#!/usr/bin/env bash
# Fails where what packages are made with has drifted: versions, descriptions, paths, schemas, units, scripts. After the first run,
# which fetches pinned schemas, it needs no network.
set -euo pipefail
. "$(dirname "$0")/../native/lib.sh"
cd "$root"

checked=0
ok() { echo "ok  $*" && checked=$((checked + 1)); }

for script in packaging/*.sh packaging/*/*.sh; do bash -n "$script"; done
ok "scripts parse"

CGO_ENABLED=0 GOFLAGS='' go test ./packaging/...
ok "versions, descriptions, tools, build flags and paths agree"

# The MCP registry's schemas come with its Go module.
registry=$(cd tools/mcpregistry && GOFLAGS=-mod=mod go mod download -json github.com/modelcontextprotocol/registry | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
schema=$(sed -n 's|.*/schemas/\(.*\)/server.schema.json",$|\1|p' server.json)
CGO_ENABLED=0 GOFLAGS='' go run ./packaging/cmd/schema "$registry/internal/validators/schemas/$schema.json" server.json
ok "server.json fits the registry's schema of $schema"

if [ ! -d tools/mcpb/node_modules ]; then (cd tools/mcpb && npm ci --ignore-scripts >&2); fi
said=$(node tools/mcpb/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js validate packaging/mcpb/manifest.json 2>&1) || die "packaging/mcpb/manifest.json: $said"
ok "packaging/mcpb/manifest.json fits its schema"

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
if command -v shellcheck >/dev/null; then
	shellcheck -x packaging/*.sh packaging/*/*.sh
	ok "shellcheck"
fi
if command -v systemd-analyze >/dev/null; then
	# The program need not be installed where this runs.
	sed "s|^ExecStart=mcp-memory |ExecStart=$(command -v true) |" packaging/systemd/mcp-memory.service >"$temp/mcp-memory.service"
	said=$(XDG_RUNTIME_DIR=$temp systemd-analyze --user verify "$temp/mcp-memory.service" 2>&1) || true
	[ -z "$said" ] || die "packaging/systemd/mcp-memory.service: $said"
	ok "the systemd unit verifies"
fi
echo "$checked checks passed"
