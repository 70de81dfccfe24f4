#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fetches Debian's current kernel of a version line (image, modules, headers) into the cache and prints its directory.
#
# Usage: fetch-kernel.sh ARCH LINE[-FLAVOUR]        UWIND_REFRESH=1 looks for a newer one
#   LINE      6.1, 6.12, 7.2: each is fetched from the Debian suite that has it
#   FLAVOUR   rt (PREEMPT_RT), 16k (arm64 with pages of 16 KB), debug and bare (6.1's, built here: see built-kernel.sh)
# In the directory: vmlinuz, config, System.map, release (what uname -r says), version (the Debian package's), suite
# (whose compilers build modules for it), lib/modules/RELEASE, and headers/: what `make -C` takes to build a module.
# The headers' own tools are those of the host's architecture, so a foreign architecture's module cross-builds.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

# Debian moves on: sid and backports follow the newest line, and one may be ahead of the other.
suites_of() {
	case $1 in
	6.1) echo bookworm ;;
	6.12) echo trixie ;;
	7.[0-9]*) echo sid trixie-backports ;;
	*) die "kernel $1 is not available: 6.1, 6.12 and 7.2 are, with -rt or (arm64) -16k, and 6.1-debug" ;;
	esac
}

meta_package() {
	case $1 in
	'') echo "linux-image-$ARCH" ;;
	rt) echo "linux-image-rt-$ARCH" ;;
	16k) [ "$ARCH" = arm64 ] || die "kernels with pages of 16 KB are arm64's: use --arch arm64" && echo "linux-image-$ARCH-16k" ;;
	*) die "there is no kernel flavour '$1' of $LINE: rt, 16k, or 6.1-debug" ;;
	esac
}

# debs PACKAGE...: of SUITE, these alone.
debs() {
	local option=()
	if [ "$SUITE" != "$(own_suite)" ]; then option=(--suite "$SUITE"); fi
	"$LAB_DIR/debs.sh" --only "${option[@]}" "$@"
}

# depends DEB PATTERN: the packages it depends on that match.
depends() { dpkg-deb -f "$1" Depends | sed 's/[,|]/\n/g' | sed 's/(.*//; s/ //g' | grep -xE "$2" | sort -u || true; }

# What a newest package of a metapackage is called: linux-image-6.1.0-56-amd64. Sets SUITE, RELEASE, PKG_VERSION.
resolve_release() {
	local meta deb found='' name suites
	suites=$(suites_of "$LINE")
	name=$(meta_package "$FLAVOUR")
	for SUITE in $suites; do
		meta=$(debs ${UWIND_REFRESH:+--update} "$ARCH" "$name")
		deb=$(depends "$meta" 'linux-image-[0-9].*')
		RELEASE=${deb#linux-image-}
		PKG_VERSION=$(dpkg-deb -f "$meta" Version)
		case $RELEASE in "$LINE".*) return ;; esac
		found+=" $SUITE has $RELEASE"
	done
	die "no suite has a kernel $VERSION for $ARCH:${found}: use one of those"
}

# The image may be in parts (since 7.x: binary, modules, base), and so may the headers.
packages() {
	local image headers parts
	image=$(debs "$ARCH" "linux-image-$RELEASE")
	headers=$(debs "$ARCH" "linux-headers-$RELEASE")
	printf '%s\n' "$image" "$headers"
	parts=$(depends "$image" 'linux-(binary|modules|base)-[0-9].*' && depends "$headers" 'linux-(headers|base)-[0-9].*')
	# shellcheck disable=SC2046  # names without blanks
	debs "$ARCH" $(sort -u <<<"$parts")
	# shellcheck disable=SC2046
	debs "$(host_arch)" $(depends "$headers" 'linux-kbuild-.*')
}

# The headers name each other by absolute path; made relative, the cache can be moved.
relocate_headers() {
	local dir=$1 makefile=usr/src/linux-headers-$RELEASE/Makefile
	# shellcheck disable=SC2016  # for make
	sed -i 's,^KBUILD_OUTPUT=,KBUILD_OUTPUT:=,; s,/usr/src/,$(dir $(abspath $(lastword $(MAKEFILE_LIST))))../,' "$dir/$makefile"
	ln -s "usr/src/linux-headers-$RELEASE" "$dir/headers"
	rm -f "$dir/lib/modules/$RELEASE/build" "$dir/lib/modules/$RELEASE/source"
}

# Packages of the newer layout have everything below usr/lib/modules, and no boot.
gather() {
	local dir=$1 name
	if [ -d "$dir/usr/lib/modules" ]; then
		mkdir -p "$dir/lib"
		mv "$dir/usr/lib/modules" "$dir/lib/"
	fi
	for name in vmlinuz config System.map; do
		if [ -e "$dir/boot/$name-$RELEASE" ]; then
			mv "$dir/boot/$name-$RELEASE" "$dir/$name"
		else
			mv "$dir/lib/modules/$RELEASE/$name" "$dir/$name"
		fi
	done
	rm -rf "${dir:?}/boot" "${dir:?}/usr/share"
}

unpack() {
	local dir=$1 deb debs
	debs=$(packages)
	for deb in $debs; do dpkg-deb -x "$deb" "$dir"; done
	gather "$dir"
	relocate_headers "$dir"
	depmod -b "$dir" "$RELEASE"
	printf '%s\n' "$RELEASE" >"$dir/release"
	printf '%s\n' "$PKG_VERSION" >"$dir/version"
	printf '%s\n' "${SUITE%-backports}" >"$dir/suite"
}

main() {
	[ $# = 2 ] || die "usage: fetch-kernel.sh ARCH LINE[-FLAVOUR]"
	ARCH=$1 VERSION=$2
	check_arch "$ARCH"
	case $VERSION in 6.1-debug | 6.1-bare) exec "$LAB_DIR/built-kernel.sh" "$ARCH" "${VERSION#6.1-}" ;; esac
	LINE=${VERSION%%-*} FLAVOUR=
	case $VERSION in *-*) FLAVOUR=${VERSION#*-} ;; esac
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
