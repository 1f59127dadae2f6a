#!/usr/bin/env bash
# prepare.sh [OPTIONS OF THE SERVER]: sees to it that the user's model folder has a model: the genuine one where it can be
# downloaded, else the stand-in. A model of the user's own is never replaced: `mcp-memory model download` does that.
set -euo pipefail
. "$(dirname "$0")/../native/lib.sh"

folder=${MCP_MEMORY_MODEL_DIR:-$HOME/.cache/mcp-memory-v2/models}
previous=
for argument; do
	case $argument in --model-dir=*) folder=${argument#*=} ;; esac
	if [ "$previous" = --model-dir ]; then folder=$argument; fi
	previous=$argument
done
folder=${folder/#\~/$HOME}
files=(tokenizer.json tokenizer_config.json special_tokens_map.json model.onnx)

complete() {
	local file
	for file in "${files[@]}"; do
		[ -f "$folder/$file" ] || return 1
	done
}

if complete; then exit; fi
# What the server reads may be all there.
if status=$("$root/bin/mcp-memory" model status --model-dir "$folder"); then exit; fi
foreign=$(awk '$1 ~ /^(model\.onnx|tokenizer\.json)$/ && $2 ~ /^(foreign|damaged)$/ { print $1; exit }' <<<"$status")
if [ "$foreign" ]; then
	die "$foreign in $folder is not the published one, and other files are missing: add them, or empty the folder, or name another with MCP_MEMORY_MODEL_DIR"
fi
if "$root/bin/mcp-memory" model download --model-dir "$folder" --connect-timeout 5s >&2; then exit; fi

echo "the model can't be downloaded from here: preparing the stand-in (bin/mcp-memory model download gets the genuine one later)" >&2
standin=$("$root/model/standin.sh")
mkdir -p "$folder"
# What is there of these is as published, and the tokenizer's files are the same for both. The model comes last.
for file in "${files[@]}"; do
	if [ ! -f "$folder/$file" ]; then
		ln "$standin/$file" "$folder/$file.partial.$$" 2>/dev/null || cp "$standin/$file" "$folder/$file.partial.$$"
		mv "$folder/$file.partial.$$" "$folder/$file"
	fi
done
