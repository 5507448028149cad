#!/usr/bin/env bash
# program-image.sh IMAGE PROGRAM TARGET [PLATFORM]
# Pushes an image of one program of this machine, for places that reach no public registry: PROGRAM at the path TARGET, the
# libraries that it needs, certificates and a user without rights. No shell, as in distroless images. It needs crane (CRANE).
# The base image of Webkiln's images, in a registry of `crane registry serve --address localhost:5000`:
#   program-image.sh localhost:5000/base:24 node_modules/node/bin/node /nodejs/bin/node
# LD_LIBRARY_PATH is where libraries are found, too. PLATFORM is linux/amd64 unless given.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,8p' "$0" | cut -c3-; exit 2; }
image=$1 program=$(realpath "$2") target=$3 platform=${4:-linux/amd64} crane=${CRANE:-crane}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root"/{etc/ssl/certs,tmp,data,home/nonroot} "$root$(dirname "$target")"
cp "$program" "$root$target"
strip "$root$target" 2>/dev/null || true # smaller, where the tool is there
{ ldd "$program" || true; } 2>/dev/null | grep -oE "/[^ ]+" | sort -u | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done || true # a static program has none
if [ -f /etc/ssl/certs/ca-certificates.crt ]; then cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"; fi
printf 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n' > "$root/etc/passwd"
printf 'root:x:0:\nnonroot:x:65532:\n' > "$root/etc/group"
printf 'hosts: files dns\n' > "$root/etc/nsswitch.conf"
chmod 1777 "$root/tmp"
tar -cf "$work/root.tar" --sort=name --mtime=@0 --numeric-owner --owner=0 --group=0 --exclude=./data --exclude=./home -C "$root" .
tar -rf "$work/root.tar" --mtime=@0 --numeric-owner --owner=65532 --group=65532 -C "$root" ./data ./home
"$crane" append --oci-empty-base --new_layer "$work/root.tar" --new_tag "$image" > /dev/null
"$crane" mutate "$image" --set-platform "$platform" --env "PATH=$(dirname "$target")" --env "LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}" \
  --user 65532:65532 --entrypoint "$target" --tag "$image"
