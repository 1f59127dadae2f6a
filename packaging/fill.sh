#!/usr/bin/env bash
# fill.sh FOLDER: puts into FOLDER what each archive has besides the program: documents, licences, completions.
set -euo pipefail
. "$(dirname "$0")/../native/lib.sh"

folder=$1
mkdir -p "$folder/completions"
folder=$(cd "$folder" && pwd)
cd "$root"
install -m 644 LICENSE README.md CHANGELOG.md "$folder/"

# They are the same for all systems, so this one's program tells them.
settings=$(packaging/settings.sh "$(go env GOHOSTOS)/$(go env GOHOSTARCH)")
(
	eval "$settings"
	program=$(mktemp -d)
	trap 'rm -rf "$program"' EXIT
	go build -buildvcs=false -ldflags '-s -w' -o "$program/" ./cmd/mcp-memory
	"$program"/mcp-memory completion bash >"$folder/completions/mcp-memory.bash"
	"$program"/mcp-memory completion zsh >"$folder/completions/_mcp-memory"
	"$program"/mcp-memory completion fish >"$folder/completions/mcp-memory.fish"
	"$program"/mcp-memory completion powershell >"$folder/completions/mcp-memory.ps1"

	# Licences of all that is linked in: Go's own, and those of each module.
	{
		echo "std $(go env GOVERSION) $(go env GOROOT)"
		go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/mcp-memory | LC_ALL=C sort -u
	} |
		while read -r module version dir; do
			found=
			for file in "$dir"/LICEN[SC]E* "$dir"/COPYING* "$dir"/NOTICE*; do
				[ -f "$file" ] || continue
				found=yes
				printf '==== %s %s: %s\n\n' "$module" "$version" "${file##*/}"
				cat "$file"
				echo
			done
			if [ -z "$found" ]; then printf '==== %s %s: has no licence file; see https://%s\n\n' "$module" "$version" "$module"; fi
		done >"$folder/third-party-licences.txt"
)
