#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What people do with the packages in out/deb, or out/deb/SUITE, on a machine with systemd: a guest of that Debian suite,
# with its kernel.
#
# Usage: check-service.sh SUITE OUTDIR
set -euo pipefail
# shellcheck source=lab/common.sh
. "$(dirname "$0")/lab/common.sh"

ARCH=amd64

kernel_of() {
	case $1 in
	bookworm) echo 6.1 ;;
	trixie) echo 6.12 ;;
	sid) echo 7.2 ;;
	*) die "no kernel is known for suite '$1': bookworm, trixie or sid" ;;
	esac
}

# Names of what the packages depend on, which the guest has before, as it has no network.
dependencies() {
	local deb
	for deb in "$@"; do dpkg-deb -f "$deb" Depends; done | tr ',' '\n' | sed 's/[(|].*//; s/ //g' | grep -v '^uwind' | sort -u
}

main() {
	[ $# = 2 ] || die "usage: check-service.sh SUITE OUTDIR"
	local suite=$1 from=$REPO_DIR/out/deb version kernel debs names release options=()
	version=$(cat "$REPO_DIR/VERSION")
	kernel=$(kernel_of "$suite")
	if [ "$suite" != "$(own_suite)" ]; then from+=/$suite; fi
	debs=("$from/uwind_${version}_$ARCH.deb" "$from/uwind-dkms_${version}_all.deb")
	for deb in "${debs[@]}"; do [ -e "$deb" ] || die "$deb is missing: run 'make deb' first"; done
	release=$(cat "$("$LAB_DIR/fetch-kernel.sh" $ARCH "$kernel")/release")
	mapfile -t names < <(dependencies "${debs[@]}")
	for name in "${names[@]}" "linux-headers-$release" gcc make python3; do options+=(--pkg "$name"); done
	for deb in "${debs[@]}"; do options+=(--add "$deb"); done
	"$REPO_DIR/qemu/run.sh" --root "systemd:$suite" --arch $ARCH --kernel "$kernel" --no-module --memory 3072 --timeout 1150 --out "$2" \
		"${options[@]}" --add "$REPO_DIR/qemu/service" -- /root/service/packages.sh "${debs[@]/#*\//./}"
}

main "$@"
