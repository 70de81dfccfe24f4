#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the kernel module for a Debian kernel, natively or cross, out of the source tree, and prints the .ko files.
#
# Usage: build-kmod.sh ARCH VERSION OUTDIR [MAKE-ARGUMENT...]     UWIND_KMOD=DIR takes another source folder
# OUTDIR receives a copy of the source, so that the source tree stays clean; a second run builds only what changed.
# Kbuild gets the folder of the UAPI header in UWIND_INCLUDE, and what VERSION says in UWIND_VERSION.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

# By contents, and a changed file is new now: the source may have been edited while an earlier copy was compiled.
# Sources that are gone go away in the copy as well; what the build made stays.
copy_source() {
	mkdir -p "$OUT"
	rsync -rlpc --delete --filter='P *.mod.c' --filter='R *.[chS]' --filter='P *' \
		--exclude='*.o' --exclude='*.ko' --exclude='.*.cmd' "$SOURCE/" "$OUT/"
}

# A build for another kernel cannot be continued.
forget_other_kernel() {
	local kernel=$1
	if [ -d "$OUT" ] && [ "$(cat "$OUT/.kernel" 2>/dev/null)" != "$kernel" ]; then rm -rf "$OUT"; fi
	mkdir -p "$OUT"
	printf '%s\n' "$kernel" >"$OUT/.kernel"
}

compile() {
	local kernel=$1
	shift
	if [ -e "$REPO_DIR/VERSION" ]; then set -- UWIND_VERSION="$(cat "$REPO_DIR/VERSION")" "$@"; fi
	env -u MAKEFLAGS -u MAKELEVEL make -C "$kernel/headers" -j"$(nproc)" --no-print-directory M="$OUT" ARCH="$(kernel_arch "$ARCH")" \
		CROSS_COMPILE="$(cross_prefix "$ARCH")" UWIND_INCLUDE="$REPO_DIR/include" W=1 modules "$@" >&2
}

main() {
	[ $# -ge 3 ] || die "usage: build-kmod.sh ARCH VERSION OUTDIR [MAKE-ARGUMENT...]"
	ARCH=$1
	local version=$2 kernel
	check_arch "$ARCH"
	SOURCE=${UWIND_KMOD:-$REPO_DIR/kmod}
	[ -d "$SOURCE" ] || die "no module source in $SOURCE"
	need make rsync "$(cross_prefix "$ARCH")gcc"
	mkdir -p "$3" 2>/dev/null || die "cannot create $3: name a writable folder"
	OUT=$(cd "$3" && pwd)
	shift 3
	kernel=$("$LAB_DIR/fetch-kernel.sh" "$ARCH" "$version")
	lock "kmod-$(printf '%s' "$OUT" | hash_of)"
	forget_other_kernel "$kernel"
	copy_source
	compile "$kernel" "$@"
	find "$OUT" -maxdepth 1 -name '*.ko'
}

main "$@"
