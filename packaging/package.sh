#!/usr/bin/env bash
# package.sh [GOOS/GOARCH]: makes dist/mcp-memory_VERSION_GOOS_GOARCH.tar.gz (.zip for Windows). An archive for this system is
# unpacked in an empty folder and used there, with an empty home and an empty environment but for PATH; one for another system, too,
# if RUNNER names an emulator: RUNNER='qemu-aarch64 -L /usr/aarch64-linux-gnu'. The same commit gives the same bytes.
set -euo pipefail
. "$(dirname "$0")/../native/lib.sh"
cd "$root"

host=$(go env GOHOSTOS)/$(go env GOHOSTARCH)
target=${1:-$host}
name=mcp-memory_$(packaging/version.sh)_${target/\//_}
tar=tar
if ! tar --version | grep -q GNU; then tar=gtar && need gtar "GNU tar"; fi

temp=$(mktemp -d)
trap 'chmod -R u+w "$temp" && rm -rf "$temp"' EXIT
packaging/build.sh "$target" "$temp/$name"
packaging/fill.sh "$temp/$name"

mkdir -p dist
seconds=$(git log -1 --format=%ct 2>/dev/null || echo 315532800)
case $target in
windows/*)
	need zip "zip"
	archive=$root/dist/$name.zip
	rm -f "$archive"
	find "$temp/$name" -exec touch -d "@$seconds" {} +
	(cd "$temp" && find "$name" -type f | LC_ALL=C sort | TZ=UTC zip -qX -@ "$archive")
	;;
*)
	archive=$root/dist/$name.tar.gz
	"$tar" --sort=name --owner=0 --group=0 --numeric-owner --mode=u+w,go-w --mtime="@$seconds" -C "$temp" -c "$name" | gzip -n9 >"$archive"
	;;
esac
(cd dist && if command -v sha256sum >/dev/null; then sha256sum "${archive##*/}"; else shasum -a 256 "${archive##*/}"; fi >"${archive##*/}.sha256")
echo "made dist/${archive##*/} ($(du -h "$archive" | cut -f1 | tr -d ' '))"

if [ "$target" != "$host" ] && [ -z "${RUNNER:-}" ]; then
	echo "it was not run: this is $host, and RUNNER names no emulator"
	exit
fi
model=$(model/standin.sh)
(unset GOFLAGS && CGO_ENABLED=0 go build -o "$temp/try" ./packaging/cmd/try)
mkdir "$temp/elsewhere" "$temp/home"
case $archive in
*.zip) unzip -q "$archive" -d "$temp/elsewhere" ;;
*) tar -xzf "$archive" -C "$temp/elsewhere" ;;
esac
chmod -R a-w "$temp/elsewhere"
cd "$temp/elsewhere/$name"
echo "unpacked it in an empty folder; with an empty home and no other settings:"
program=./mcp-memory
if [ -f mcp-memory.exe ]; then program=mcp-memory.exe; fi
# shellcheck disable=SC2086 # RUNNER is a command with arguments
env -i HOME="$temp/home" PATH="$PATH" "$temp/try" -semantic -- ${RUNNER:-} "$program" --model-dir "$model" --log-level warn
