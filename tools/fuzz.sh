#!/usr/bin/env bash
# Runs every fuzz target that there is for FUZZTIME each, those of which the name matches FUZZ. What they find is written
# to testdata/fuzz of their packages, where it is a test from then on.
set -euo pipefail
cd "$(dirname "$0")/.."

failed=
while read -r package; do
	tests=$(go test -list '^Fuzz' "$package")
	for target in $(grep '^Fuzz' <<<"$tests" || true); do
		[[ $target =~ ${FUZZ:-.} ]] || continue
		echo "== $package $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-1m}" -fuzzminimizetime 20x "$package" || failed+=" $target"
	done
done < <(go list ./...)
if [ "$failed" ]; then
	echo "failed:$failed" >&2
	exit 1
fi
