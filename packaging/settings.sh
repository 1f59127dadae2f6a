#!/usr/bin/env bash
# settings.sh GOOS/GOARCH: prints, as shell exports, the settings of a go build for release. Needed are Go, a C compiler and
# Python: what is released reads the model's own kind of tokenizer alone, which needs no Rust.
set -euo pipefail
. "$(dirname "$0")/../native/lib.sh"

target=$1
host=$(go env GOHOSTOS)/$(go env GOHOSTARCH)
need go "Go 1.26 or newer"
sqlite=$(sqlite_flags)

export_all() { while [ $# -gt 0 ]; do printf 'export %s=%q\n' "$1" "$2" && shift 2; done; }

# zig TRIPLE: compile the C parts for another system.
zig() {
	local zig
	zig=$("$root/packaging/zig.sh")
	export_all CC "$zig cc -target $1" CXX "$zig c++ -target $1"
}

export_all GOOS "${target%/*}" GOARCH "${target#*/}" GOAMD64 v1 CGO_ENABLED 1 GOFLAGS "-trimpath -tags=sqlite_fts5,sentencepiece_only" \
	CGO_CFLAGS "-O2 -g $sqlite" CGO_LDFLAGS "-O2 -g"
case $target in
"$host") ;;
linux/amd64) zig x86_64-linux-gnu.2.28 ;;
linux/arm64) zig aarch64-linux-gnu.2.28 ;; # the C library that ONNX Runtime's needs
windows/amd64) zig x86_64-windows-gnu ;;
darwin/*) die "macOS cannot be built for elsewhere: its system libraries come with Xcode. Run this on a Mac" ;;
*) die "there is no package for $target: linux/amd64, linux/arm64, darwin/arm64 and windows/amd64 are known" ;;
esac
