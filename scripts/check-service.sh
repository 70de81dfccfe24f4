#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What people do with the packages in out/deb on a machine with systemd: a guest of this machine's Debian release.
#
# Usage: check-service.sh OUTDIR
set -euo pipefail
# shellcheck source=lab/common.sh
. "$(dirname "$0")/lab/common.sh"

ARCH=amd64
KERNEL=6.1

# Names of what the packages depend on, which the guest has before, as it has no network.
dependencies() {
	local deb
	for deb in "$@"; do dpkg-deb -f "$deb" Depends; done | tr ',' '\n' | sed 's/[(|].*//; s/ //g' | grep -v '^uwind' | sort -u
}

main() {
	[ $# = 1 ] || die "usage: check-service.sh OUTDIR"
	local version debs names release options=()
	version=$(cat "$REPO_DIR/VERSION")
	debs=("$REPO_DIR/out/deb/uwind_${version}_$ARCH.deb" "$REPO_DIR/out/deb/uwind-dkms_${version}_all.deb")
	for deb in "${debs[@]}"; do [ -e "$deb" ] || die "$deb is missing: run 'make deb' first"; done
	release=$(cat "$("$LAB_DIR/fetch-kernel.sh" $ARCH $KERNEL)/release")
	mapfile -t names < <(dependencies "${debs[@]}")
	for name in "${names[@]}" "linux-headers-$release" gcc make python3; do options+=(--pkg "$name"); done
	for deb in "${debs[@]}"; do options+=(--add "$deb"); done
	"$REPO_DIR/qemu/run.sh" --root systemd --arch $ARCH --kernel $KERNEL --no-module --memory 3072 --timeout 1150 --out "$1" \
		"${options[@]}" --add "$REPO_DIR/qemu/service" -- /root/service/packages.sh "${debs[@]/#*\//./}"
}

main "$@"
