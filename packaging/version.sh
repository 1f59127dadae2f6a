#!/usr/bin/env bash
# Prints the version of what is packaged, without "v": the tag's, or before the first tag that of server.json with the
# commit behind it. "dirty" tells of changes that are not committed.
set -euo pipefail
cd "$(dirname "$0")/.."

next=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' server.json)
if [ ! -e .git ]; then # a source archive
	echo "$next"
	exit
fi
if ! version=$(git describe --tags --match 'v[0-9]*' --dirty=+dirty 2>/dev/null); then
	version=$next-dev.$(git log -1 --format=%cd --date=format:%Y%m%d).g$(git rev-parse --short=8 HEAD)
	git diff --quiet HEAD || version+=+dirty
fi
echo "${version#v}"
