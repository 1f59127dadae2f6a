#!/usr/bin/env bash
# Proves the image without a container engine, as far as that goes: a folder gets just the Debian packages that distroless/cc is
# made of and what the Dockerfile copies; then the server runs there, in a chroot, as the image's user. Needs root and Debian 12.
set -euo pipefail
. "$(dirname "$0")/../native/lib.sh"
cd "$root"

[ "$(id -u)" = 0 ] || die "packaging/image.sh needs root, for chroot"
need apt-get "Debian's package tools"
user=65532
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
chmod 755 "$temp"
image=$temp/image

(
	chmod 777 "$temp" # apt downloads as a user of its own
	cd "$temp"
	apt-get download -q libc6 libgcc-s1 libstdc++6 libgomp1 zlib1g tzdata >/dev/null
	for deb in *.deb; do dpkg-deb -x "$deb" "$image"; done
	chmod 755 "$temp"
)
packaging/build.sh "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" "$image/opt/mcp-memory"
install -d -m 700 -o $user -g $user "$image/data"
install -d -m 1777 "$image/tmp"

model=$(model/standin.sh)
cp -R "$model" "$image/data/models"
chmod -R a+rX,a-w "$image/data/models"
chown -R $user:$user "$image/data/models"
CGO_ENABLED=0 GOFLAGS='' go build -o "$image/try" ./packaging/cmd/try
echo "needed by the program and by ONNX Runtime, and found in the image:"
for object in "$image"/opt/mcp-memory/{mcp-memory,libonnxruntime.so.*}; do
	for library in $(objdump -p "$object" | awk '$1 == "NEEDED" { print $2 }'); do
		[ -n "$(find "$image" -name "$library")" ] || die "the image has no $library, which ${object##*/} needs"
		echo "  $library"
	done
done | sort -u
echo "in a chroot, as user $user:"
# The program finds its own folder by /proc, which engines mount, too. The mount ends with its namespace.
mkdir -p "$image/proc"
# shellcheck disable=SC2016 # $1 is for the inner shell
env -i PATH="$PATH" HOME=/data MCP_MEMORY_DB=/data/memory.db MCP_MEMORY_MODEL_DIR=/data/models unshare --mount --pid --fork \
	sh -euc 'mount -t proc proc "$1/proc" && exec chroot --userspec="$2:$2" "$1" /try -semantic -- /opt/mcp-memory/mcp-memory --log-level warn' \
	sh "$image" $user
