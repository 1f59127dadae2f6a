#!/usr/bin/env bash
# pack.sh [GOOS/GOARCH]: makes and validates dist/mcp-memory_VERSION_GOOS_GOARCH.mcpb. A bundle for this system is unpacked and started
# by the command line that its manifest gives to clients.
set -euo pipefail
. "$(dirname "$0")/../../native/lib.sh"
cd "$root"

host=$(go env GOHOSTOS)/$(go env GOHOSTARCH)
target=${1:-$host}
version=$(packaging/version.sh)
bundle=$root/dist/mcp-memory_${version}_${target/\//_}.mcpb
mcpb() { node tools/mcpb/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js "$@"; }

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
packaging/build.sh "$target" "$temp/bundle/server"
install -m 644 LICENSE README.md "$temp/bundle/"
system=${target%/*}
if [ "$system" = windows ]; then system=win32; fi
# One bundle is for one system: programs for all would be 150 MB.
# shellcheck disable=SC2016 # the dollars are JavaScript's
node -e '
	const [file, version, system] = process.argv.slice(1), fs = require("fs"), manifest = JSON.parse(fs.readFileSync(file));
	const config = manifest.server.mcp_config;
	Object.assign(config, config.platform_overrides[system]);
	manifest.server.entry_point = config.command.replace("${__dirname}/", "");
	delete config.platform_overrides;
	manifest.compatibility.platforms = [system];
	manifest.version = version;
	process.stdout.write(JSON.stringify(manifest, null, 2) + "\n");
' packaging/mcpb/manifest.json "$version" "$system" >"$temp/bundle/manifest.json"
find "$temp/bundle" -exec touch -d "$(git log -1 --format=%cI 2>/dev/null || echo 1980-01-01T00:00:00Z)" {} +
mkdir -p dist
mcpb pack "$temp/bundle" "$bundle" >"$temp/log" || { cat "$temp/log" >&2 && die "the bundle does not pack"; }
echo "made dist/${bundle##*/} ($(du -h "$bundle" | cut -f1 | tr -d ' '))"

if [ "$target" != "$host" ]; then
	echo "it was not run: this is $host"
	exit
fi
tools=$(node -p 'JSON.parse(fs.readFileSync("packaging/mcpb/manifest.json")).tools.map((t) => t.name).sort().join(",")')
CGO_ENABLED=0 GOFLAGS='' go build -o "$temp/try" ./packaging/cmd/try
mkdir "$temp/home"
mcpb unpack "$bundle" "$temp/unpacked" >/dev/null
export HOME=$temp/home
mapfile -d '' -t command < <(node packaging/mcpb/command.mjs "$temp/unpacked")
echo "unpacked it; by its manifest's command line, with an empty home:"
env -i HOME="$HOME" PATH="$PATH" "$temp/try" -tools "$tools" -- "${command[@]}"
