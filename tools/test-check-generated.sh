#!/usr/bin/env bash
# Proves that check-generated sees drift: it changes a copy of the project in each way that matters, and expects a failure that
# shows the change.
set -euo pipefail
cd "$(dirname "$0")/.."

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
copy=$temp/copy made=$temp/made
mkdir "$copy"
git ls-files --cached --others --exclude-standard -z | tar -c --null -T - | tar -x -C "$copy"

fail() {
	echo "$1" >&2
	exit 1
}

# check NAME [FOLDER]: wants the check to fail, and keeps what it prints.
check() {
	if out=$("$copy/tools/check-generated.sh" "${@:2}" 2>&1); then fail "$1: the check passed"; fi
}

# seen NAME SHOWN [PLACE]: wants to see SHOWN in what the check printed, in the diff of PLACE if there is one.
seen() {
	local part=$out
	[ "${3:-}" = "" ] || part=$(awk -v place="$3" '/^--- [^\t]+\t/ { on = $2 == place } on' <<<"$out")
	grep -qF -- "$2" <<<"$part" || fail "$1: the check failed without showing '$2' ${3:+in $3}: $out"
	echo "seen: $1"
}

# change NAME FILE OLD NEW: replaces OLD by NEW in FILE.
change() {
	local name=$1 file=$copy/$2 old=$3 new=$4
	cp "$file" "$temp/before"
	awk -v old="$old" -v new="$new" 'i = index($0, old) { $0 = substr($0, 1, i - 1) new substr($0, i + length(old)) } 1' "$temp/before" >"$file"
	if cmp -s "$file" "$temp/before"; then fail "$name: nothing was changed in $2"; fi
}

"$copy/tools/check-generated.sh" "$made" || fail "the check fails without any drift"

# Generated files that are changed by hand, one at a time: what they are to be is made already.
for place in sql/schema/tables.sql sql/schema/virtual.sql gen/db/models.go gen/schemas/search_semantic.json docs/cli.md docs/tools.md; do
	cp "$copy/$place" "$temp/kept"
	echo "by hand" >>"$copy/$place"
	check "$place by hand" "$made"
	seen "$place by hand" "-by hand" "$place"
	cp "$temp/kept" "$copy/$place"
done
touch "$copy/gen/schemas/stray.json"
check "an untracked file" "$made"
seen "an untracked file" "stray.json"
rm "$copy/gen/schemas/stray.json"
"$copy/tools/check-generated.sh" "$made" || fail "the check fails after drift that was taken back"

# All that is generated from, changed at once and built once: each change has a place of its own to show in.
change "a new column" migrations/00001_tables.sql \
	"    entity_type TEXT    NOT NULL DEFAULT 'Generic'," "    entity_type TEXT    NOT NULL DEFAULT 'Generic', colour TEXT,"
change "a changed query" sql/queries/entities.sql "SELECT count(*) FROM entities" "SELECT count(*) FROM entities WHERE id > 0"
change "a changed struct tag" internal/tool/create_entities.go 'json:"entityType' 'json:"entityKind'
change "a changed flag" internal/cli/stats.go "of the most used memories to list" "of memories to list"
change "a changed example" internal/codegen/examples.json "lives in" "moved to"
check "changed sources"
seen "a new column" "colour" sql/schema/tables.sql
seen "a changed query" "WHERE id > 0" gen/db/entities.sql.go
seen "a changed struct tag" "entityKind" gen/schemas/create_entities.json
seen "a changed flag" "of memories to list" docs/cli.md
seen "a changed example" "moved to" docs/tools.md
