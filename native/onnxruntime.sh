#!/usr/bin/env bash
# Prints the path of ONNX Runtime's shared library in the cache, and fetches it first where it isn't there.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

platform=$(go env GOOS)/$(go env GOARCH)
read -r version _ _ member sum < <(manifest onnxruntime "$platform") ||
	die "ONNX Runtime is pinned for no $platform: add it to native/manifest, or set MCP_MEMORY_ONNXRUNTIME"
folder=$cache/onnxruntime-$version-${sum:0:8}

fill "$folder" "$root/native/wheel.sh" onnxruntime "$platform"
echo "$folder/$(basename "$member")"
