#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the Debian packages into out/deb: uwind-dkms, and uwind for amd64 and arm64, each beside its .changes.
#
# Usage: deb.sh [ARCH]...        default: amd64 arm64; what is not the host's is cross-built with the project's sysroot
#        deb.sh --suite SUITE    the host's architecture, in a system of that Debian suite, into out/deb/SUITE
set -euo pipefail
# shellcheck source=lab/common.sh
. "$(dirname "$0")/lab/common.sh"

OUT=$REPO_DIR/out/deb
WORK=$REPO_DIR/build/deb
VERSION=$(cat "$REPO_DIR/VERSION")

check_version() {
	local said
	said=$(dpkg-parsechangelog -l "$REPO_DIR/debian/changelog" -S Version)
	[ "$said" = "$VERSION" ] || die "debian/changelog says $said, VERSION says $VERSION: make them one"
}

# The tree stays clean: it is copied, by contents, so that what did not change is not compiled again.
copy_tree() { # ARCH
	mkdir -p "$WORK/$1/tree"
	rsync -rlpc --delete --exclude=/build --exclude=/out --exclude=/.git --exclude=/.ci --exclude=/obj --exclude=__pycache__ \
		"$REPO_DIR/" "$WORK/$1/tree/"
}

# dpkg-shlibdeps asks dpkg which package a library is of; these are known from their own control files.
library_roots() { # ARCH
	local deb names roots=$WORK/$1/libraries
	rm -rf "$roots"
	mkdir -p "$roots"
	mapfile -t names < <(grep -v '^#' "$LAB_DIR/sysroot.list" | xargs -n1)
	"$LAB_DIR/debs.sh" "$1" "${names[@]}" | while read -r deb; do
		if dpkg-deb -I "$deb" shlibs >/dev/null 2>&1; then dpkg-deb -R "$deb" "$roots/$(dpkg-deb -f "$deb" Package)"; fi
	done
	find "$roots" -mindepth 1 -maxdepth 1 -printf '-S%p ' | sort
}

# dh gives what it runs a home of its own.
use_ccache() {
	command -v ccache >/dev/null || return 0
	CCACHE_DIR=$(ccache -k cache_dir)
	export CCACHE_DIR CCACHE_BASEDIR=$WORK CCACHE_NOHASHDIR=1
	export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
}

# The part that is for all architectures comes with the host's. Foreign build dependencies lie in the sysroot, not in dpkg's books.
prepare() { # ARCH
	WHAT=(--build=binary)
	if [ "$1" != "$(host_arch)" ]; then
		[ "$1" = arm64 ] || die "cannot build for $1 on $(host_arch): only arm64 is cross-built"
		UWIND_SYSROOT=$("$LAB_DIR/sysroot.sh" "$1")
		UWIND_SHLIBS=$(library_roots "$1")
		export UWIND_SYSROOT UWIND_SHLIBS
		WHAT=(--build=any "--host-arch=$1" -d)
	fi
	copy_tree "$1"
	rm -f "$WORK/$1"/*.* "$OUT"/*_"$1".*
}

build() { # ARCH
	local log=$OUT/build-$1.log
	note "building for $1"
	(cd "$WORK/$1/tree" && dpkg-buildpackage --no-sign -nc "${WHAT[@]}") >"$log" 2>&1 ||
		die "the packages for $1 cannot be built: $(grep -m1 -E '[Ee]rror: |\*\*\*' "$log" || echo "see the log") ($log)"
	if [ "$1" = "$(host_arch)" ]; then rm -f "$OUT"/*_all.deb; fi
	mv "$WORK/$1"/*.deb "$WORK/$1"/*.changes "$WORK/$1"/*.buildinfo "$OUT"
}

# Names of what the packages are built with.
build_depends() {
	sed -n '/^Build-Depends/,/^Standards/p' "$REPO_DIR/debian/control" | sed 's/^[A-Z][A-Za-z-]*:.*$/&,/; s/^Build-Depends[A-Za-z-]*://; /^Standards/d' |
		tr ',' '\n' | sed 's/(.*//; s/ //g; s/^debhelper-compat$/debhelper/; /^$/d' | sort -u
}

# An unpacked system in the tree's build folder; the cache keeps the tar file.
unpack_system() { # SUITE
	local tar
	# shellcheck disable=SC2046  # names
	tar=$("$LAB_DIR/system-root.sh" "$1" build-essential $(build_depends))
	ROOT=$WORK/system
	[ "$(cat "$WORK/unpacked" 2>/dev/null)" = "$tar" ] && return
	rm -rf --one-file-system "$ROOT"
	mkdir -p "$ROOT"
	tar -x -C "$ROOT" --exclude='./dev/*' -f "$tar"
	printf '%s\n' "$tar" >"$WORK/unpacked"
}

build_for_suite() { # SUITE
	local log=$OUT/build.log
	unpack_system "$1"
	copy_tree "$(host_arch)"
	rm -f "$WORK/$(host_arch)"/*.*
	note "building for $1"
	in_mounted_root "$ROOT" /mnt/deb/tree deb="$WORK/$(host_arch)" -- \
		env HOME=/root DEB_BUILD_OPTIONS="$DEB_BUILD_OPTIONS" dpkg-buildpackage --no-sign -nc --build=binary >"$log" 2>&1 ||
		die "the packages for $1 cannot be built: $(grep -m1 -E '[Ee]rror: |\*\*\*' "$log" || echo "see the log") ($log)"
	mv "$WORK/$(host_arch)"/*.deb "$WORK/$(host_arch)"/*.changes "$WORK/$(host_arch)"/*.buildinfo "$OUT"
}

build_here() { # ARCH...
	local arch
	for arch in "$@"; do
		check_arch "$arch"
		prepare "$arch"
		build "$arch"
	done
}

main() {
	local suite
	if [ "${1:-}" = --suite ] && [ "${2:-}" = "$(own_suite)" ]; then set -- "$(host_arch)"; fi
	[ $# -gt 0 ] || set -- amd64 arm64
	check_version
	export DEB_BUILD_OPTIONS=${DEB_BUILD_OPTIONS:-parallel=$(nproc)}
	if [ "$1" = --suite ]; then
		need rsync unshare
		suite=${2:-}
		OUT+=/$suite WORK+=/$suite
		mkdir -p "$OUT"
		rm -f "$OUT"/*.*
		build_for_suite "$suite"
	else
		need rsync dpkg-buildpackage dh dh_dkms
		use_ccache
		mkdir -p "$OUT"
		build_here "$@"
	fi
	find "$OUT" -maxdepth 1 -name '*.deb' | sort
}

main "$@"
