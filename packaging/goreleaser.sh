#!/usr/bin/env bash
# goreleaser.sh ARGUMENT...: runs goreleaser with what .goreleaser.yaml needs: zig, compiler flags, and in build/release ONNX Runtime for
# each system and the documents of all.
set -euo pipefail
. "$(dirname "$0")/../native/lib.sh"
cd "$root"

program=$(CGO_ENABLED=0 GOFLAGS=-trimpath go tool -modfile=tools/goreleaser/go.mod -n goreleaser)
case ${1:-} in
build | release)
	rm -rf build/release
	for target in linux/amd64 linux/arm64 windows/amd64; do
		packaging/runtime.sh "$target" "build/release/${target/\//_}"
	done
	packaging/fill.sh build/release/common
	;;
esac
ZIG=$(packaging/zig.sh)
CGO_CFLAGS="-O2 -g $(sqlite_flags)"
export ZIG CGO_CFLAGS CGO_LDFLAGS="-O2 -g" GOFLAGS=''
exec "$program" "$@"
