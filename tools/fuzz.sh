#!/usr/bin/env bash
# Runs every fuzz target that there is for FUZZTIME each, those of which the name matches FUZZ. What they find is written
# to testdata/fuzz of their packages, where it is a test from then on.
set -euo pipefail
cd "$(dirname "$0")/.."

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
cache=$(go env GOCACHE)/fuzz

failed=
while IFS=$'\t' read -r package folder files; do
	targets=$(cd "$folder" && sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $files)
	built=
	for target in $targets; do
		[[ $target =~ ${FUZZ:-.} ]] || continue
		echo "== $package $target"
		[ "$built" ] || go test -c -fuzz . -o "$temp/test" "$package"
		built=yes
		(cd "$folder" && "$temp/test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzzcachedir "$cache/$package" \
			-test.fuzztime "${FUZZTIME:-1m}" -test.fuzzminimizetime 20x </dev/null) || failed+=" $target"
	done
done < <(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}	{{.Dir}}	{{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}{{end}}' ./...)
if [ "$failed" ]; then
	echo "failed:$failed" >&2
	exit 1
fi
