#!/usr/bin/env bash
# Fails, with a diff, where generated files are not what generating makes of the sources. The work tree stays as it is.
# check-generated.sh FOLDER leaves there what it makes, or compares with what an earlier run has left there.
set -euo pipefail
cd "$(dirname "$0")/.."

# sqlc cuts statements short at the first byte that isn't ASCII, and says nothing.
if LC_ALL=C grep -rn $'[^\t -~]' sql; then
	echo "sql/ must be ASCII: see the lines above" >&2
	exit 1
fi

sqlc() {
	CGO_ENABLED=0 GOFLAGS='' go tool -modfile=tools/sqlc/go.mod sqlc "$@"
}

generate() {
	mkdir -p "$made/gen/schemas" "$made/sql"
	cp sqlc.yaml "$made/"
	cp -R sql/queries "$made/sql/"
	cp gen/schemas/*.go "$made/gen/schemas/" # the only file in gen/ that is written by hand
	sqlc vet &
	go run -trimpath ./internal/codegen -out "$made" # without paths, a copy of the project takes it from the cache
	sqlc generate --file "$made/sqlc.yaml"
	wait $!
}

made=${1:-}
if [ -z "$made" ]; then
	made=$(mktemp -d)
	trap 'rm -rf "$made"' EXIT
fi
if [ ! -d "$made/gen" ]; then generate; fi

for path in sql gen docs/cli.md docs/tools.md; do
	diff -ru "$path" "$made/$path" || stale=yes
done
if [ "${stale:-}" ]; then
	echo "generated files are stale ('-' is what is there): run 'make generate' and commit what it changes" >&2
	exit 1
fi
