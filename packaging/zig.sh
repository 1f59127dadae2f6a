#!/usr/bin/env bash
# Prints the path of zig, which compiles the C parts for other systems, and fetches it first where it isn't in the cache.
set -euo pipefail
. "$(dirname "$0")/../native/lib.sh"

version=0.17.1
sum=ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54 # the wheel's, for Linux on x86-64
folder=$cache/zig-$version-${sum:0:8}

fetch() {
	local out=$1
	need_python
	echo "ziglang==$version --hash=sha256:$sum" >"$out/requirements.txt"
	python3 -m venv "$out/venv"
	"$out/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
		--dest "$out" --requirement "$out/requirements.txt"
	python3 -m zipfile -e "$out"/ziglang-*.whl "$out"
	chmod +x "$out/ziglang/zig"
	rm -rf "$out/venv" "$out"/*.whl "$out/requirements.txt"
}

[ "$(uname -sm)" = "Linux x86_64" ] || die "zig is pinned for Linux on x86-64 alone: package for other systems there"
fill "$folder" fetch
echo "$folder/ziglang/zig"
