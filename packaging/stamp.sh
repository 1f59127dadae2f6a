#!/usr/bin/env bash
# stamp.sh OWNER: writes dist/server.json, for the MCP registry, and dist/mcp-memory.rb, for Homebrew, with the checksums of the
# archives and bundles in dist/, which are those of a release of the repository OWNER/mcp-memory.
set -euo pipefail
. "$(dirname "$0")/../native/lib.sh"
cd "$root"

owner=${1:-}
[[ "$owner" =~ ^[A-Za-z0-9-]+$ ]] || die "name the owner of the repository: make release-files OWNER=name"
version=$(packaging/version.sh)
base=https://github.com/$owner/mcp-memory/releases/download/v$version

platforms="linux_amd64 linux_arm64 darwin_arm64"
edits=()
for platform in $platforms; do
	archive=dist/mcp-memory_${version}_$platform.tar.gz
	[ -f "$archive" ] || die "$archive is missing: make package TARGET=${platform/_/\/} (for macOS on a Mac)"
	edits+=(-e "s/SHA256_$platform/$(sha256 "$archive")/")
done
sed -e '1d' -e "s|OWNER|$owner|g" -e "s/version \"[0-9].*\"/version \"$version\"/" "${edits[@]}" packaging/homebrew/mcp-memory.rb >dist/mcp-memory.rb

bundles=()
for bundle in dist/mcp-memory_"$version"_*.mcpb; do
	[ -f "$bundle" ] || die "there is no bundle of $version in dist/: make mcpb"
	bundles+=("$base/${bundle##*/}" "$(sha256 "$bundle")")
done
python3 - "$owner" "$version" "${bundles[@]}" >dist/server.json <<'PYTHON'
import json, sys

owner, version, *bundles = sys.argv[1:]
with open("server.json") as f:
    server = json.loads(f.read().replace("OWNER", owner))
server["version"] = version
for package in server["packages"]:
    package["identifier"] = package["identifier"].rsplit(":", 1)[0] + ":" + version
for url, checksum in zip(bundles[::2], bundles[1::2]):
    server["packages"].append({"registryType": "mcpb", "identifier": url, "fileSha256": checksum, "transport": {"type": "stdio"}})
print(json.dumps(server, indent=2))
PYTHON
echo "made dist/mcp-memory.rb and dist/server.json, which names $((${#bundles[@]} / 2)) bundles"
