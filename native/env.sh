#!/usr/bin/env bash
# Prints, as shell exports, the settings of every go command on this project, once the native libraries are there.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

need go "Go 1.26 or newer"
cc=$(go env CC)
need "${cc%% *}" "a C compiler (gcc or clang)"
tokenizers=$("$root/native/tokenizers.sh")
onnxruntime=${MCP_MEMORY_ONNXRUNTIME:-$("$root/native/onnxruntime.sh")}
sqlite=$(sqlite_flags)

case ${GOFLAGS:-} in
*sqlite_fts5*) goflags=$GOFLAGS ;;
*) goflags="${GOFLAGS:+$GOFLAGS }-tags=sqlite_fts5" ;;
esac
printf 'export GOFLAGS=%q\n' "$goflags"
# Setting these replaces Go's own "-O2 -g", and unoptimised SQLite is twice as slow.
printf 'export CGO_CFLAGS=%q\n' "-O2 -g $sqlite"
printf 'export CGO_LDFLAGS=%q\n' "-O2 -g -L$tokenizers"
printf 'export MCP_MEMORY_ONNXRUNTIME=%q\n' "$onnxruntime"
