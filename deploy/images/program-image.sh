#!/usr/bin/env bash
# program-image.sh TAG PROGRAM TARGET [BUILDER [OPTIONS…]]
# Makes an image of one program of this machine, for clusters without a registry: PROGRAM at the path TARGET, the libraries that
# it needs, certificates and a user without rights. No shell, as in distroless images. The base image of Webkiln's images:
#   program-image.sh webkiln-base:24 node_modules/node/bin/node /nodejs/bin/node
# BUILDER is docker, podman or buildah (default: the first that is there). LD_LIBRARY_PATH is where libraries are found, too.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,6p' "$0" | cut -c3-; exit 2; }
tag=$1 program=$(realpath "$2") target=$3; shift 3
[ $# -gt 0 ] || set -- "$(command -v docker podman buildah | head -1)"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root"/{etc/ssl/certs,tmp,data,home/nonroot} "$root$(dirname "$target")"
chmod 1777 "$root/tmp"; chown 65532:65532 "$root/data" "$root/home/nonroot"
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
printf 'FROM scratch\nCOPY . /\nENV PATH=%s LD_LIBRARY_PATH=%s\nUSER 65532:65532\nENTRYPOINT ["%s"]\n' \
  "$(dirname "$target")" "${LD_LIBRARY_PATH:-}" "$target" > "$work/Dockerfile"
"$@" build -t "$tag" -f "$work/Dockerfile" "$root"
