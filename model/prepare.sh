#!/usr/bin/env bash
# Sees to it that the user's model folder has a model: the genuine one where it can be downloaded, else the stand-in.
# What is there is never replaced: `mcp-memory model download` does that.
set -euo pipefail
. "$(dirname "$0")/../native/lib.sh"

folder=${MCP_MEMORY_MODEL_DIR:-$HOME/.cache/mcp-memory-v2/models}
folder=${folder/#\~/$HOME}
files=(tokenizer.json tokenizer_config.json special_tokens_map.json model.onnx)

complete() {
	local file
	for file in "${files[@]}"; do
		[ -f "$folder/$file" ] || return 1
	done
}

if complete; then exit; fi
if "$root/bin/mcp-memory" model download --model-dir "$folder" --connect-timeout 5s >&2; then exit; fi

echo "the model can't be downloaded from here: preparing the stand-in (bin/mcp-memory model download gets the genuine one later)" >&2
standin=$("$root/model/standin.sh")
mkdir -p "$folder"
# The tokenizer's files are the same for both, so a file that is already there belongs to either. The model comes last.
for file in "${files[@]}"; do
	if [ ! -f "$folder/$file" ]; then
		ln "$standin/$file" "$folder/$file.partial.$$" 2>/dev/null || cp "$standin/$file" "$folder/$file.partial.$$"
		mv "$folder/$file.partial.$$" "$folder/$file"
	fi
done
