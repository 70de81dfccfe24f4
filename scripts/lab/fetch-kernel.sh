#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fetches Debian's current kernel of a version line (image, modules, headers) into the cache and prints its directory.
#
# Usage: fetch-kernel.sh ARCH VERSION        UWIND_REFRESH=1 looks for a newer one
# In the directory: vmlinuz, config, System.map, release (what uname -r says), version (the Debian package's),
# lib/modules/RELEASE, and headers/: what `make -C` takes to build a module. The headers' own tools are those of
# the host's architecture, so a foreign architecture's module cross-builds.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

# What a newest package of a metapackage is called: linux-image-6.1.0-56-amd64.
resolve_release() {
	local meta deb
	meta=$("$LAB_DIR/debs.sh" --only ${UWIND_REFRESH:+--update} "$ARCH" "linux-image-$ARCH")
	deb=$(dpkg-deb -f "$meta" Depends | sed -n 's/^linux-image-\([^ ,]*\) .*/\1/p')
	PKG_VERSION=$(dpkg-deb -f "$meta" Version)
	case $deb in
	"$VERSION".*) RELEASE=$deb ;;
	*) die "this Debian's linux-image-$ARCH is ${deb:-unknown}, not $VERSION: use a Debian release that has it" ;;
	esac
}

packages() {
	local base=${RELEASE%-"$ARCH"}
	"$LAB_DIR/debs.sh" --only "$ARCH" "linux-image-$RELEASE" "linux-headers-$RELEASE" "linux-headers-$base-common"
	"$LAB_DIR/debs.sh" --only "$(host_arch)" "linux-kbuild-$VERSION"
}

# The headers name each other by absolute path; made relative, the cache can be moved.
relocate_headers() {
	local dir=$1 makefile=usr/src/linux-headers-$RELEASE/Makefile
	# shellcheck disable=SC2016  # for make
	sed -i 's,^include /usr/src/,include $(dir $(lastword $(MAKEFILE_LIST)))../,' "$dir/$makefile"
	ln -s "usr/src/linux-headers-$RELEASE" "$dir/headers"
	rm -f "$dir/lib/modules/$RELEASE/build" "$dir/lib/modules/$RELEASE/source"
}

unpack() {
	local dir=$1 deb debs
	debs=$(packages)
	for deb in $debs; do dpkg-deb -x "$deb" "$dir"; done
	mv "$dir/boot/vmlinuz-$RELEASE" "$dir/vmlinuz"
	mv "$dir/boot/config-$RELEASE" "$dir/config"
	mv "$dir/boot/System.map-$RELEASE" "$dir/System.map"
	rm -rf "${dir:?}/boot" "${dir:?}/usr/share"
	relocate_headers "$dir"
	depmod -b "$dir" "$RELEASE"
	printf '%s\n' "$RELEASE" >"$dir/release"
	printf '%s\n' "$PKG_VERSION" >"$dir/version"
}

main() {
	[ $# = 2 ] || die "usage: fetch-kernel.sh ARCH VERSION"
	ARCH=$1 VERSION=$2
	check_arch "$ARCH"
	case $VERSION in 6.1) ;; *) die "kernel $VERSION is not available yet: 6.1 is" ;; esac
	local root current new
	root=$(cache_dir)/kernels/$ARCH
	current=$root/$VERSION
	if [ -z "${UWIND_REFRESH:-}" ] && [ -e "$current/release" ]; then
		readlink -f "$current"
		return
	fi
	need dpkg-deb depmod flock
	lock "kernel-$ARCH-$VERSION"
	resolve_release
	new=$root/$RELEASE
	if [ ! -e "$new/release" ]; then
		mkdir -p "$root"
		rm -rf "$new.tmp" "$new"
		mkdir "$new.tmp"
		unpack "$new.tmp"
		mv "$new.tmp" "$new"
	fi
	ln -sfn "$RELEASE" "$current.tmp"
	mv -T "$current.tmp" "$current"
	printf '%s\n' "$new"
}

main "$@"
