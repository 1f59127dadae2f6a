#!/usr/bin/env bash
# stamp.sh OWNER: writes dist/server.json, for the MCP registry, and dist/mcp-memory.rb, for Homebrew, with the checksums that
# goreleaser has written for a release of the repository OWNER/mcp-memory.
set -euo pipefail
. "$(dirname "$0")/../native/lib.sh"
cd "$root"

owner=${1:-}
[[ "$owner" =~ ^[A-Za-z0-9-]+$ ]] || die "name the owner of the repository: make release-files OWNER=name"
version=$(packaging/version.sh)
base=https://github.com/$owner/mcp-memory/releases/download/v$version

checksums=dist/goreleaser/checksums.txt
[ -f "$checksums" ] || die "$checksums is missing: packaging/goreleaser.sh release --clean"

edits=()
for platform in linux_amd64 linux_arm64 darwin_arm64; do
	archive=mcp-memory_${version}_$platform.tar.gz
	sum=$(awk -v name="$archive" '$2 == name { print $1 }' "$checksums")
	[ -n "$sum" ] || die "$checksums has no $archive (that for macOS is made on a Mac: make package)"
	edits+=(-e "s/SHA256_$platform/$sum/")
done
bundles=()
while read -r sum bundle; do
	case $bundle in mcp-memory_"$version"_*.mcpb) bundles+=("$base/$bundle" "$sum") ;; esac
done <"$checksums"
[ ${#bundles[@]} -gt 0 ] || die "$checksums has no bundle of $version: make mcpb, and make the release again"

sed -e '1d' -e "s|OWNER|$owner|g" -e "s/version \"[0-9].*\"/version \"$version\"/" "${edits[@]}" packaging/homebrew/mcp-memory.rb >dist/mcp-memory.rb
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
