#!/usr/bin/env bash
# Makes internal/web/page/vendor from npm packages of these versions and checksums, as their authors have built them.
set -euo pipefail
cd "$(dirname "$0")/.."
target=internal/web/page/vendor
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# take NAME VERSION SHA256 FILE: unpack a package, and print its file
take() {
	local name=$1 version=$2 sum=$3 file=$4 archive="$work/$1-$2.tgz"
	(cd "$work" && npm pack --silent "$name@$version" >/dev/null)
	echo "$sum  $archive" | sha256sum --check --quiet - >&2
	mkdir "$work/$name"
	tar -xzf "$archive" -C "$work/$name" --strip-components=1
	{
		printf '%s %s\n\n' "$name" "$version"
		cat "$work/$name"/LICENSE*
		printf '\n'
	} >>"$work/LICENSES.txt"
	# Without the names of maps that are not here.
	sed -e '/^\/\/# sourceMappingURL=/d' "$work/$name/$file"
	printf '\n'
}

mkdir -p "$target"
# Draws the graph, by WebGL.
{
	take graphology 0.26.0 3c0cc63556e32b9d00ea953dce29790a5e49fc448f19247e25540156caef6b98 dist/graphology.umd.min.js
	take sigma 3.0.3 ff467677a066c06ef81a2b66cde421a26cd629ef5321e4c08742b69c8d32a9bb dist/sigma.min.js
} >"$work/graph.min.js"
# Lays it out.
{
	take d3-dispatch 3.0.2 a7761dc785dd08d6b3c57c92bb245b581cfe36e6a581687142a2b6f3df104b23 dist/d3-dispatch.min.js
	take d3-quadtree 3.0.2 92db92a8f02bd86e25185833f453bb8f179e8a2ff62321461d47627df76ac9c1 dist/d3-quadtree.min.js
	take d3-timer 3.0.2 94b4d053d0061bfb7a3461234a5a14d5b3200e6dbb28d148559ed91ba787661c dist/d3-timer.min.js
	take d3-force 3.0.1 8e6c6ec6c684d1246eed13fc7874c32d830f4bda092877677c4718c86d511238 dist/d3-force.min.js
} >"$work/force.min.js"
install -m 644 "$work"/{graph.min.js,force.min.js,LICENSES.txt} "$target"
