# shellcheck shell=bash
# Shared by the scripts that prepare native libraries and the stand-in model. Source it; it prints nothing to stdout,
# which belongs to each script's one result.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034 # used by the scripts that source this
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mcp-memory

die() {
	echo "mcp-memory: $*" >&2
	exit 1
}

# need COMMAND WHAT: COMMAND is there, or one line says what to install.
need() {
	command -v "$1" >/dev/null || die "'$1' is missing: install $2"
}

# need_python: a Python that is new enough, and can make virtual environments.
need_python() {
	need python3 "Python 3.11 or newer"
	python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
		die "'python3' is $(python3 -V 2>&1): install Python 3.11 or newer"
	python3 -c 'import ensurepip, venv' 2>/dev/null ||
		die "Python's 'venv' module is missing: install python3-venv"
}

sha256() {
	if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1
}

# verify FILE SHA256
verify() {
	local got
	got=$(sha256 "$1")
	[ "$got" = "$2" ] || die "$(basename "$1") has SHA-256 $got, expected $2"
}

# manifest PACKAGE PLATFORM: the fields after those two of its line.
manifest() {
	awk -v package="$1" -v platform="$2" '$1 == package && $3 == platform { print $2, $4, $5, $6, $7 }' "$root/native/manifest"
}

# go_module PATH: the folder of a module that go.mod requires.
go_module() {
	local dir
	dir=$(cd "$root" && go list -m -f '{{.Dir}}' "$1")
	if [ -z "$dir" ]; then
		(cd "$root" && go mod download "$1") >&2
		dir=$(cd "$root" && go list -m -f '{{.Dir}}' "$1")
	fi
	echo "$dir"
}

# sqlite_flags: the compiler flags by which sqlite-vec finds its headers. They are copied to the cache: a flag that names the
# checkout would have every clone compile SQLite again.
sqlite_flags() {
	local sqlite include
	sqlite=$(go_module github.com/mattn/go-sqlite3)
	include=$cache/sqlite3-include-$(sha256 "$root/native/include/sqlite3.h" | cut -c1-8)
	fill "$include" cp "$root/native/include/sqlite3.h"
	echo "-I$include -I$sqlite"
}

# fill FOLDER COMMAND...: unless FOLDER exists, runs COMMAND with a new folder as its last argument, and renames that to
# FOLDER once COMMAND has succeeded. So what has the name is whole, whatever was interrupted, and whoever else tries.
fill() {
	local folder=$1
	shift
	if [ -d "$folder" ]; then return; fi
	mkdir -p "$(dirname "$folder")"
	# Without flock (macOS) two first builds at once do the same work twice.
	exec 9>"$folder.lock"
	if command -v flock >/dev/null; then flock 9; fi
	if [ ! -d "$folder" ]; then
		partial=$(mktemp -d "$folder.partial.XXXXXX")
		trap 'rm -rf "$partial"' EXIT
		chmod 755 "$partial"
		"$@" "$partial" >&2
		mv "$partial" "$folder"
		# Whoever comes second has moved a folder into the first one's, which is as good as theirs.
		rm -rf "${folder:?}/${partial##*/}"
	fi
	exec 9>&-
}
