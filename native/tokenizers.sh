#!/usr/bin/env bash
# Prints the folder of libtokenizers.a in the cache, and builds it first where it isn't there: with cargo, from the
# Rust source that the Go module carries, so that library and bindings are always of one version.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

lock=$root/native/tokenizers.Cargo.lock
module=github.com/daulet/tokenizers
version=$(cd "$root" && go list -m -f '{{.Version}}' $module)
folder=$cache/tokenizers-$version-$(go env GOOS)-$(go env GOARCH)-$(sha256 "$lock" | cut -c1-8)

build() {
	local out=$1 source
	need cargo "Rust 1.78 or newer (rustup)"
	source=$(go_module $module)
	echo "building libtokenizers.a $version: some minutes, once" >&2
	mkdir "$out/source"
	cp -R "$source/Cargo.toml" "$source/LICENSE" "$source/crates" "$out/source/"
	chmod -R u+w "$out/source"
	cp "$lock" "$out/source/Cargo.lock"
	# The source takes tiktoken-rs from a code host; its release has what is needed, a checksum, and the registry's mirrors.
	sed -i.orig 's/^tiktoken-rs = .*/tiktoken-rs = "0.9"/' "$out/source/crates/tokenizers/Cargo.toml"
	(cd "$out/source" && cargo build --quiet --release --locked --package tokenizers-ffi --target-dir "$out/target")
	mv "$out/target/release/libtokenizers_ffi.a" "$out/libtokenizers.a"
	mv "$out/source/LICENSE" "$out/"
	rm -rf "$out/source" "$out/target"
}

fill "$folder" build
echo "$folder"
