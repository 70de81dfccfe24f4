#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the kernel module for a Debian kernel, natively or cross, out of the source tree, and prints the .ko files.
# The compiler is that of the kernel's own Debian suite, in a root of that suite unless it is this machine's.
#
# Usage: build-kmod.sh ARCH VERSION OUTDIR [MAKE-ARGUMENT...]     UWIND_KMOD=DIR takes another source folder
#        build-kmod.sh --fetch ARCH VERSION                       the kernel and its compilers alone
# OUTDIR receives a copy of the source, so that the source tree stays clean; a second run builds only what changed.
# Kbuild gets the folder of the UAPI header in UWIND_INCLUDE, and what VERSION says in UWIND_VERSION.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

KEEP_DAYS=14

# By contents, and a changed file is new now: the source may have been edited while an earlier copy was compiled.
# Sources that are gone go away in the copy as well; what the build made stays.
copy_source() {
	mkdir -p "$OUT"
	rsync -rlpc --copy-unsafe-links --delete --filter='P *.mod.c' --filter='R *.[chS]' --filter='P *' \
		--exclude='*.o' --exclude='*.ko' --exclude=probed.h --exclude='*.found' --exclude='.*.cmd' "$SOURCE/" "$OUT/"
}

# A build for another kernel cannot be continued.
forget_other_kernel() {
	local kernel=$1
	if [ -d "$OUT" ] && [ "$(cat "$OUT/.kernel" 2>/dev/null)" != "$kernel" ]; then rm -rf "$OUT"; fi
	mkdir -p "$OUT"
	printf '%s\n' "$kernel" >"$OUT/.kernel"
}

# compile HEADERS MODULE INCLUDE COMMAND...: make, by the given command, with the folders as they are called there.
compile() {
	local headers=$1 module=$2 include=$3
	shift 3
	if [ -e "$REPO_DIR/VERSION" ]; then set -- "$@" UWIND_VERSION="$(cat "$REPO_DIR/VERSION")"; fi
	"$@" -C "$headers" -j"$(nproc)" --no-print-directory M="$module" ARCH="$(kernel_arch "$ARCH")" \
		UWIND_INCLUDE="$include" W=1 modules "${MAKE_ARGUMENTS[@]}" >&2
}

MAKE=(env -u MAKEFLAGS -u MAKELEVEL LANG=C make)

compile_here() {
	need make "$(cross_prefix "$ARCH")gcc"
	compile "$1/headers" "$OUT" "$REPO_DIR/include" "${MAKE[@]}" CROSS_COMPILE="$(cross_prefix "$ARCH")"
}

# The compiler's name is the kernel's: a suite's usual one may be newer.
compilers_of() { # KERNEL SUITE
	local gcc
	gcc=$(sed -n 's/^CC *=.*)\(gcc-[0-9]*\)$/\1/p' "$1/headers/.kernelvariables")
	"$LAB_DIR/toolchain.sh" "$2" kbuild.list "$gcc" "$gcc-aarch64-linux-gnu"
}

compile_in_root() { # KERNEL SUITE
	local kernel=$1 root
	root=$(compilers_of "$@")
	compile /mnt/kernel/headers /mnt/module /mnt/include \
		in_mounted_root "$root" / kernel="$kernel" module="$OUT" include="$REPO_DIR/include" -- \
		"${MAKE[@]}" CROSS_COMPILE="$(triplet "$ARCH")-" DEB_BUILD_ARCH=amd64
}

# What a module is made of, by contents.
ingredients() { # KERNEL
	(cd "$SOURCE" && find -L . -type f \( -name '*.[chS]' -o -name Kbuild -o -name Makefile \) ! -name '*.mod.c' ! -name probed.h -print0 |
		sort -z | xargs -0 sha256sum)
	find "$REPO_DIR/include" -name '*.h' -print0 | sort -z | xargs -0 cat
	cat "$1/version" "$LAB_DIR/build-kmod.sh" "$LAB_DIR/kbuild.list" "$REPO_DIR/VERSION"
	echo "$ARCH $1"
}

# compile_once KERNEL SUITE: what was made of the same is taken from the cache, unless make is told more than usual.
compile_once() {
	local made
	made=$(cache_dir)/built/$(ingredients "$1" | hash_of)
	if [ ${#MAKE_ARGUMENTS[@]} = 0 ] && [ -d "$made" ]; then
		cp "$made"/* "$OUT/"
		touch "$made"
		return
	fi
	if [ "$2" = "$(own_suite)" ]; then compile_here "$1"; else compile_in_root "$1" "$2"; fi
	[ ${#MAKE_ARGUMENTS[@]} = 0 ] || return 0
	mkdir -p "${made%/*}"
	rm -rf "$made.new"
	mkdir "$made.new"
	cp "$OUT"/*.ko "$OUT/Module.symvers" "$made.new"
	mv -T "$made.new" "$made" 2>/dev/null || rm -rf "$made.new"
	prune "${made%/*}" "$KEEP_DAYS"
}

# Kernels that were fetched before they had a name for it are of this machine's suite.
suite_of() { cat "$1/suite" 2>/dev/null || own_suite; }

fetch_parts() { # VERSION
	local kernel
	kernel=$("$LAB_DIR/fetch-kernel.sh" "$ARCH" "$1")
	compilers_of "$kernel" "$(suite_of "$kernel")" >/dev/null
}

main() {
	if [ $# = 3 ] && [ "$1" = --fetch ]; then
		ARCH=$2
		fetch_parts "$3"
		return
	fi
	[ $# -ge 3 ] || die "usage: build-kmod.sh ARCH VERSION OUTDIR [MAKE-ARGUMENT...]"
	ARCH=$1
	local version=$2 kernel
	check_arch "$ARCH"
	SOURCE=${UWIND_KMOD:-$REPO_DIR/kmod}
	[ -d "$SOURCE" ] || die "no module source in $SOURCE"
	need rsync
	mkdir -p "$3" 2>/dev/null || die "cannot create $3: name a writable folder"
	OUT=$(cd "$3" && pwd)
	shift 3
	MAKE_ARGUMENTS=("$@")
	kernel=$("$LAB_DIR/fetch-kernel.sh" "$ARCH" "$version")
	lock "kmod-$(printf '%s' "$OUT" | hash_of)"
	forget_other_kernel "$kernel"
	copy_source
	compile_once "$kernel" "$(suite_of "$kernel")"
	find "$OUT" -maxdepth 1 -name '*.ko'
}

main "$@"
