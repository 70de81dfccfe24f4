#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Packs the guest's kernel modules, uwind.ko among them if given, into an initramfs segment and prints its path.
#
# Usage: guest-modules.sh ARCH KERNELDIR [MODULE.ko...]
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

KEEP_DAYS=3

names() { grep -v '^#' "$LAB_DIR/guest-modules.list"; }

# Paths below KERNELDIR of modules with what they need, in the order of insertion; what is built in has none.
files_of() {
	local kernel=$1 name
	shift
	for name in "$@"; do
		modprobe -d "$kernel" -S "$RELEASE" -C /dev/null -D "$name" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
	done | awk '!seen[$0]++' | sed "s,^$kernel/,,"
}

# Since 6.12 Debian packs modules; init's insmod and the whole initramfs are better off without.
decompress() { find "$1" -name '*.ko.xz' -exec xz --decompress {} +; }

# As DKMS installs it, without what only debuggers read: a thirtieth is left, which the guest copies each time that it inserts it.
strip_module() { "$(cross_prefix "$ARCH")strip" --strip-debug "$1"; }

fill() {
	local kernel=$1 dir=$2/lib/modules/$RELEASE channels files f
	shift 2
	mkdir -p "$dir/extra"
	# shellcheck disable=SC2046  # names without blanks
	mapfile -t files < <(files_of "$kernel" $(names))
	# shellcheck disable=SC2046
	channels=$(files_of "$kernel" $(names | head -1))
	(cd "$kernel" && cp --parents "${files[@]}" "lib/modules/$RELEASE"/modules.{order,builtin,builtin.modinfo} "$ROOT")
	for f in "$@"; do cp "$f" "$dir/extra/" && strip_module "$dir/extra/${f##*/}"; done
	decompress "$dir"
	depmod -b "$ROOT" "$RELEASE"
	mkdir -p "$ROOT/usr/.lab"
	printf '%s\n' "$channels" | sed -n 's,^\(.*\.ko\).*,/\1,p' >"$ROOT/usr/.lab/modules"
	mv "$ROOT/lib" "$ROOT/usr/lib"
}

main() {
	[ $# -ge 2 ] || die "usage: guest-modules.sh ARCH KERNELDIR [MODULE.ko...]"
	ARCH=$1
	check_arch "$ARCH"
	need depmod modprobe cpio xz "$(cross_prefix "$ARCH")strip"
	local kernel=$2 hash out
	shift 2
	RELEASE=$(cat "$kernel/release")
	hash=$({ cat "$kernel/version" "$LAB_DIR"/guest-modules.*; echo "$RELEASE"; [ $# = 0 ] || cat "$@"; } | hash_of)
	out=$(cache_dir)/modules/$RELEASE-$hash.cpio
	if [ ! -e "$out" ]; then
		mkdir -p "${out%/*}"
		ROOT=$(mktemp -d "$out.XXXXXX")
		fill "$kernel" "$ROOT" "$@"
		(cd "$ROOT" && find . -mindepth 1 -print0 | sort -z | cpio --quiet --null -o -H newc -R +0:+0 >"$ROOT.cpio")
		mv "$ROOT.cpio" "$out"
		rm -rf "$ROOT"
		prune "${out%/*}" "$KEEP_DAYS"
	fi
	touch "$out"
	printf '%s\n' "$out"
}

main "$@"
