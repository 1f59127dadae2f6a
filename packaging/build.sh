#!/usr/bin/env bash
# build.sh GOOS/GOARCH FOLDER: puts into FOLDER the program, ONNX Runtime, which is searched for beside it, and its licences.
set -euo pipefail
. "$(dirname "$0")/../native/lib.sh"

target=$1 folder=$2
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$root"

settings=$(packaging/settings.sh "$target")
eval "$settings"
extension=
if [ "$GOOS" = windows ]; then extension=.exe; fi
go build -buildvcs=false -ldflags "-s -w -X main.version=v$(packaging/version.sh)" -o "$folder/mcp-memory$extension" ./cmd/mcp-memory
packaging/runtime.sh "$target" "$folder"
