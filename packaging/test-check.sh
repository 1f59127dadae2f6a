#!/usr/bin/env bash
# Proves that check.sh sees drift: it changes a copy of the project in each way that matters, and expects a failure that shows it.
set -euo pipefail
. "$(dirname "$0")/../native/lib.sh"
cd "$root"

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files --cached --others --exclude-standard -z | tar -c --null -T - | tar -x -C "$copy"
if [ -d tools/mcpb/node_modules ]; then ln -s "$root/tools/mcpb/node_modules" "$copy/tools/mcpb/node_modules"; fi

# drift FILE CHANGE SHOWN: changes FILE by a sed script, and wants to see SHOWN in what the check prints.
drift() {
	local file=$copy/$1 change=$2 shown=$3 out
	cp "$file" "$copy/original"
	sed "$change" "$copy/original" >"$file"
	if cmp -s "$file" "$copy/original"; then die "$change changes nothing in $1"; fi
	if out=$("$copy/packaging/check.sh" 2>&1); then die "$1: the check passed after $change"; fi
	grep -qF -- "$shown" <<<"$out" || die "$1: the check failed without showing '$shown': $out"
	mv "$copy/original" "$file"
	echo "seen: $1: $change"
}

out=$("$copy/packaging/check.sh" 2>&1) || die "the check fails without any drift: $out"
drift server.json 's/"version": ".*"/"version": "99.0.0"/' '"version": "99.0.0"'
drift server.json 's/"transport"/"transports"/' "transport"
drift internal/cli/program.go 's/Short: "Long-term/Short: "Short-term/' "internal/cli/program.go"
drift packaging/mcpb/manifest.json 's/"binary"/"exe"/' "packaging/mcpb/manifest.json"
drift packaging/mcpb/manifest.json 's/"open_nodes"/"open_node"/' "open_node"
drift packaging/systemd/mcp-memory.service 's/^ProtectSystem=.*/ProtectSystem=perhaps/' "perhaps"
drift .goreleaser.yaml 's/sentencepiece_only/other/' "build tags"
drift packaging/build.sh 's|/runtime.sh|/libraries.sh|' "libraries.sh"
drift Dockerfile 's|github.com/OWNER|github.com/somebody|' "somebody"
