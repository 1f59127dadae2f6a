#!/usr/bin/env bash
# runtime.sh GOOS/GOARCH FOLDER: puts ONNX Runtime and its licences into FOLDER.
set -euo pipefail
. "$(dirname "$0")/../native/lib.sh"

target=$1 folder=$2
read -r version _ _ _ sum < <(manifest onnxruntime "$target") || die "ONNX Runtime is pinned for no $target: see native/manifest"
runtime=$cache/packaged-onnxruntime-$version-${sum:0:8}
fill "$runtime" "$root/native/wheel.sh" onnxruntime "$target"
mkdir -p "$folder"
for file in "$runtime"/*; do
	case ${file##*/} in
	LICENSE | ThirdPartyNotices.txt) install -m 644 "$file" "$folder/onnxruntime-${file##*/}" ;;
	*) install -m 644 "$file" "$folder/" ;;
	esac
done
