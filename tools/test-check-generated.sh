#!/usr/bin/env bash
# Proves that check-generated sees drift: it changes a copy of the project in each way that matters, and expects a failure that
# shows the change.
set -euo pipefail
cd "$(dirname "$0")/.."

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files --cached --others --exclude-standard -z | tar -c --null -T - | tar -x -C "$copy"

# drift NAME FILE OLD NEW SHOWN: replaces OLD by NEW in FILE, and wants to see SHOWN in what the check prints.
drift() {
	local name=$1 file=$copy/$2 old=$3 new=$4 shown=$5 out
	cp "$file" "$file.orig"
	awk -v old="$old" -v new="$new" 'i = index($0, old) { $0 = substr($0, 1, i - 1) new substr($0, i + length(old)) } 1' "$file.orig" >"$file"
	cmp -s "$file" "$file.orig" && fail "$name: nothing was changed in $2"
	if out=$("$copy/tools/check-generated.sh" 2>&1); then fail "$name: the check passed"; fi
	grep -qF -- "$shown" <<<"$out" || fail "$name: the check failed without showing '$shown': $out"
	mv "$file.orig" "$file"
	echo "seen: $name"
}

fail() {
	echo "$1" >&2
	exit 1
}

"$copy/tools/check-generated.sh" || fail "the check fails without any drift"
drift "a new column" migrations/00001_tables.sql \
	"    entity_type TEXT    NOT NULL DEFAULT 'Generic'," "    entity_type TEXT    NOT NULL DEFAULT 'Generic', colour TEXT," \
	"colour"
drift "a changed query" sql/queries/entities.sql \
	"SELECT count(*) FROM entities" "SELECT count(*) FROM entities WHERE id > 0" \
	"WHERE id > 0"
drift "a changed struct tag" internal/tool/create_entities.go \
	'json:"entityType' 'json:"entityKind' \
	"entityKind"
drift "a changed flag" internal/cli/stats.go \
	"of the most used memories to list" "of memories to list" \
	"of memories to list"
drift "a changed example" internal/codegen/examples.json \
	"lives in" "moved to" \
	"moved to"
touch "$copy/gen/schemas/stray.json"
"$copy/tools/check-generated.sh" >"$copy/out" 2>&1 && fail "an untracked file: the check passed"
grep -q "stray.json" "$copy/out" || fail "an untracked file: the check failed without naming it"
echo "seen: an untracked file"
