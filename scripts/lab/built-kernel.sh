#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds Debian's 6.1 kernel with other options than stock kernels have, into the cache, and prints its directory.
#
# Usage: built-kernel.sh ARCH NAME        UWIND_REFRESH=1 looks for a newer source package
#   NAME      debug (with the checks that stock kernels lack), bare (without what the module needs)
# It is in the shape that fetch-kernel.sh gives, which calls this for the names 6.1-debug and 6.1-bare. What is on beyond
# "make allnoconfig" is said and justified in built-kernel.config; everything is built in, there are no modules.
# The compiler is this machine's, for both architectures.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

LINE=6.1
SUITE=bookworm

OPTIONS=$LAB_DIR/built-kernel.config

# options: those for all, and those below the architecture's name, the kernel's, and both.
options() {
	awk -v arch="$ARCH" -v name="$NAME" '
		/^\[/ { on = $0 == "[all]" || $0 == "[" arch "]" || $0 == "[" name "]" || $0 == "[" name " " arch "]"; next } on' "$OPTIONS"
}

# The same source with other options is another kernel. FORM counts up when what is kept of it changes.
FORM=1
recipe() { { echo "$FORM" && options | grep -E '^(# )?CONFIG_' | sort; } | hash_of; }

source_package() {
	local option=()
	if [ "$SUITE" != "$(own_suite)" ]; then option=(--suite "$SUITE"); fi
	"$LAB_DIR/debs.sh" --only "${option[@]}" ${UWIND_REFRESH:+--update} "$(host_arch)" "linux-source-$LINE"
}

unpack_source() {
	local deb=$1 dir=$2
	mkdir -p "$dir"
	dpkg-deb --fsys-tarfile "$deb" | from_tar -O "./usr/src/linux-source-$LINE.tar.xz" | tar -xJ -C "$dir" --strip-components=1
}

# With other options most objects are the same: what was compiled is kept.
kernel_make() {
	local with=
	if command -v ccache >/dev/null; then with='ccache '; fi
	env -u MAKEFLAGS -u MAKELEVEL LC_ALL=C CCACHE_BASEDIR="$BUILD" CCACHE_NOHASHDIR=1 \
		make -s -C "$BUILD" -j"$(nproc)" ARCH="$(kernel_arch "$ARCH")" CROSS_COMPILE="$(cross_prefix "$ARCH")" \
		CC="$with$(cross_prefix "$ARCH")gcc" HOSTCC="${with}gcc" \
		LOCALVERSION="-$NAME-$KEY" KBUILD_BUILD_USER=uwind KBUILD_BUILD_HOST=lab "$@"
}

# Kconfig drops what depends on something that is off, and does not say so.
configure() {
	local line dropped=0
	options >"$BUILD/options"
	kernel_make KCONFIG_ALLCONFIG=options allnoconfig >/dev/null
	while read -r line; do
		grep -qxF "$line" "$BUILD/.config" && continue
		note "Kconfig did not take over: $line"
		dropped=1
	done < <(grep -E '^(# )?CONFIG_' "$BUILD/options")
	[ "$dropped" = 0 ] || die "$OPTIONS asks for what the kernel has not: mend it"
}

image() { case $ARCH in amd64) echo arch/x86/boot/bzImage ;; arm64) echo arch/arm64/boot/Image ;; esac }

compile() {
	kernel_make "$(basename "$(image)")" modules >"$BUILD/log" 2>&1 || {
		tail -n 20 "$BUILD/log" >&2
		die "the $NAME kernel for $ARCH does not compile: the end of its log is above"
	}
}

# What "make -C headers" takes to build a module: the tools that were built for this machine, headers, and who exports what.
keep_headers() {
	local to=$1 arch
	arch=arch/$(kernel_arch "$ARCH")
	mkdir -p "$to"
	(
		cd "$BUILD"
		{
			printf '%s\n' Makefile .config Module.symvers "$arch"/Makefile*
			find include "$arch/include" scripts -type f ! -name '*.o' ! -name '*.cmd' ! -path 'include/config/[A-Z]*'
			[ ! -e tools/objtool/objtool ] || echo tools/objtool/objtool
		} | tar -c -T - | from_tar -C "$to"
	)
}

gather() {
	local dir=$1 modules
	modules=$dir/lib/modules/$RELEASE
	mkdir -p "$modules"
	cp "$BUILD/$(image)" "$dir/vmlinuz"
	cp "$BUILD/.config" "$dir/config"
	cp "$BUILD/System.map" "$dir/System.map"
	cp "$BUILD"/modules.{order,builtin,builtin.modinfo} "$modules"
	depmod -b "$dir" "$RELEASE"
	keep_headers "$dir/headers"
	printf '%s\n' "$RELEASE" >"$dir/release"
	printf '%s\n' "$PKG_VERSION-$KEY" >"$dir/version"
	own_suite >"$dir/suite"
	printf '%s\n' "$RECIPE" >"$dir/recipe"
}

build() {
	local new=$1 deb=$2 start=$SECONDS
	rm -rf "$new.tmp" "$new"
	BUILD=$new.tmp/build
	unpack_source "$deb" "$BUILD"
	configure
	compile
	RELEASE=$(kernel_make kernelrelease)
	gather "$new.tmp"
	rm -rf "$BUILD"
	mv "$new.tmp" "$new"
	note "built $RELEASE for $ARCH in $((SECONDS - start)) s"
}

main() {
	[ $# = 2 ] || die "usage: built-kernel.sh ARCH NAME"
	ARCH=$1 NAME=$2
	check_arch "$ARCH"
	grep -qxF "[$NAME]" "$OPTIONS" || die "$OPTIONS has no kernel '$NAME'"
	local root current new deb
	RECIPE=$(recipe) # once: the files may be edited while it builds
	root=$(cache_dir)/kernels/$ARCH
	current=$root/$LINE-$NAME
	lock "kernel-$ARCH-$LINE-$NAME"
	if [ -z "${UWIND_REFRESH:-}" ] && [ "$(cat "$current/recipe" 2>/dev/null)" = "$RECIPE" ]; then
		readlink -f "$current"
		return
	fi
	need dpkg-deb depmod flock make flex bison bc "$(cross_prefix "$ARCH")gcc"
	deb=$(source_package)
	PKG_VERSION=$(dpkg-deb -f "$deb" Version)
	KEY=$({ echo "$PKG_VERSION"; echo "$RECIPE"; } | hash_of | cut -c1-8)
	new=$root/$LINE-$NAME-$KEY
	[ -e "$new/release" ] || build "$new" "$deb"
	ln -sfn "${new##*/}" "$current.tmp"
	mv -T "$current.tmp" "$current"
	printf '%s\n' "$new"
}

main "$@"
