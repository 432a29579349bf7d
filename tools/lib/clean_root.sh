#!/usr/bin/env bash
# usage: clean_root.sh COMMAND [ARGUMENT...]
#
# Runs a command of this repository on a bare Debian 12 with git and nothing else:
# makes such a root with debootstrap in a temporary folder, clones the committed
# state of the repository into it, and runs the command there. Of this machine it
# takes the network's configuration only (name servers, certificates, proxy).
# Needs root. The last line of standard output is `seconds: N` of the command.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

((EUID == 0)) || takt_fail 6 "making a Debian root needs root"
command -v debootstrap >/dev/null || takt_fail 6 "debootstrap is missing; apt-get install debootstrap"
# The mirrors that this machine's apt uses.
apt_mirror() { apt-get indextargets --format '$(REPO_URI)' "Release: $1" | head -n 1; }
mirror="${TAKT_DEBIAN_MIRROR:-$(apt_mirror bookworm)}"
security="${TAKT_DEBIAN_SECURITY_MIRROR:-$(apt_mirror bookworm-security)}"
[[ -n "$mirror" && -n "$security" ]] || takt_fail 6 "apt names no mirror of bookworm; run apt-get update, or set TAKT_DEBIAN_MIRROR and TAKT_DEBIAN_SECURITY_MIRROR"

root="$(mktemp -d)"
trap 'rm -rf --one-file-system "$root"' EXIT
takt_step "a bare Debian 12 in $root"
debootstrap --variant=minbase --include=git bookworm "$root" "$mirror" >&2
cat >"$root/etc/apt/sources.list" <<SOURCES
deb $mirror bookworm main
deb $mirror bookworm-updates main
deb $security bookworm-security main
SOURCES
cp /etc/resolv.conf /etc/hosts "$root/etc/"
[[ ! -f /etc/pip.conf ]] || cp /etc/pip.conf "$root/etc/"
certificates="${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}"
environment=(HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8)
if [[ -f "$certificates" ]]; then
  cp "$certificates" "$root/etc/host-certificates.crt"
  environment+=(PIP_CERT=/etc/host-certificates.crt)
fi
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL PIP_DEFAULT_TIMEOUT; do
  [[ -z "${!name:-}" ]] || environment+=("$name=${!name}")
done
git clone --quiet --no-hardlinks "$TAKT_ROOT" "$root/takt"

# The mounts live in a name space of their own and vanish with the command.
takt_step "$*"
start=$SECONDS
status=0
unshare --mount --fork bash -c '
  mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/dev/shm" || exit 6
  exec chroot "$0" env -i "${@}"' \
  "$root" "${environment[@]}" bash -c 'cd /takt && exec "$@"' bash "$@" </dev/null || status=$?
echo "seconds: $((SECONDS - start))"
exit "$status"
