#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What people do with the packages in out/deb, in a root of Debian 12 that is unpacked for it: lintian, install, use, upgrade,
# remove, purge. The host's are installed, with the module built by DKMS; the other architecture's are looked at.
#
# Usage: check-packages.sh         needs root, as installing packages does
set -euo pipefail
# shellcheck source=lab/common.sh
. "$(dirname "$0")/lab/common.sh"

DEBS=$REPO_DIR/out/deb

clean_up() { [ -z "${ROOT:-}" ] || rm -rf --one-file-system "$ROOT"; }

# What packages may leave untidy is compared only if nothing else is going on: mounts of its own, no network.
inside() {
	mount --bind "$ROOT" "$ROOT"
	mount -t proc proc "$ROOT/proc"
	mount -t tmpfs tmpfs "$ROOT/run"
	bind_devices "$ROOT"
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		chroot "$ROOT" /bin/bash /checks/check-packages-root.sh "$(cat "$REPO_DIR/VERSION")" "$(host_arch)"
}

# The same packages, and the same libraries by name; and the program starts.
check_foreign() {
	local arch=$1 names work
	names=$(depends "$arch")
	[ "$names" = "$(depends "$(host_arch)")" ] ||
		die "the packages of $arch and $(host_arch) depend on different ones: $names; $(depends "$(host_arch)")"
	work=$ROOT/checks/foreign
	dpkg-deb -x "$(package "$arch")" "$work"
	"qemu-aarch64-static" -L "$("$LAB_DIR/sysroot.sh" "$arch")" "$work/usr/bin/uwind" --version
}

package() { echo "$DEBS/uwind_$(cat "$REPO_DIR/VERSION")_$1.deb"; }

depends() { dpkg-deb -f "$(package "$1")" Depends | sed 's/ *([^)]*)//g' | tr ',' '\n' | xargs -n1 | sort | xargs; }

main() {
	if [ "${1:-}" = inside ]; then
		ROOT=$2
		inside
		return
	fi
	[ "$(id -u)" = 0 ] || die "installing packages in a root needs root"
	need dpkg-deb unshare chroot tar
	local tar arch
	for arch in amd64 arm64; do [ -e "$(package "$arch")" ] || die "$(package "$arch") is missing: run 'make deb' first"; done
	# shellcheck disable=SC2046  # names
	tar=$("$LAB_DIR/system-root.sh" bookworm $(grep -v '^#' "$LAB_DIR/package-root.list" | sed "s/ARCH/$(host_arch)/"))
	mkdir -p "$REPO_DIR/out/check"
	ROOT=$(mktemp -d "$REPO_DIR/out/check/root.XXXXXX")
	trap clean_up EXIT
	tar -xf "$tar" -C "$ROOT" --exclude='./dev/*'
	mkdir "$ROOT/checks"
	cp "$DEBS"/*.deb "$REPO_DIR/scripts/check-packages-root.sh" "$REPO_DIR/scripts/check-completions.zsh" "$ROOT/checks"
	if [ "$(host_arch)" != arm64 ]; then check_foreign arm64; fi
	unshare --mount --pid --net --fork --kill-child "$0" inside "$ROOT"
}

main "$@"
