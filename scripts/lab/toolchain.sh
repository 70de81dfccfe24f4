#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Prints the root folder of a Debian suite's compilers and binutils for amd64 and arm64, or of its QEMU: "/" if that suite is this
# machine's own, else one that mmdebstrap made in the cache. Nothing in it is configured.
#
# Usage: toolchain.sh SUITE [LIST [PACKAGE...]]     UWIND_REFRESH=1 makes it anew: suites move on
#   LIST      what the root holds: toolchain.list (the default: no shell), kbuild.list (builds kernel modules),
#             emulator-ARCH.list (QEMU for machines of that architecture)
#   PACKAGE   what it holds besides, as a certain compiler
# Run a tool of it with in_root or in_mounted_root (common.sh).
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

packages() { { grep -v '^#' "$LAB_DIR/$LIST" && echo "${EXTRA[@]}"; } | xargs | tr ' ' ,; }

is_own() { [ "$(host_arch)" = amd64 ] && [ "$1" = "$(own_suite)" ]; }

# What maintainer scripts would have made.
complete() {
	mkdir -p "$1/mnt"
	if [ -e "$1/usr/bin/mawk" ]; then ln -sf mawk "$1/usr/bin/awk"; fi
}

# Through tar: every file is the user's own then, whoever that is.
unpack_root() { # SUITE FOLDER SOURCES
	rm -rf "$2"
	mkdir -p "$2"
	bootstrap --variant=extract --architectures=amd64 --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
		--include="$(packages)" "$1" - "$3" |
		from_tar -C "$2" --no-same-owner --exclude='./dev/*'
}

make_root() {
	local suite=$1 dir=$2 what="a root of $1 ($LIST)"
	note "unpacking $suite's compilers ($LIST)"
	sources_of amd64 "$suite" >"$dir.list"
	fetch_patiently "$what" "$dir.log" unpack_root "$suite" "$dir.tmp" "$dir.list" || die_fetching $? "$what" "$dir.log"
	rm "$dir.list"
	complete "$dir.tmp"
	mv "$dir.tmp" "$dir"
}

main() {
	[ $# -ge 1 ] || die "usage: toolchain.sh SUITE [LIST [PACKAGE...]]"
	local suite=$1 dir name
	LIST=${2:-toolchain.list}
	shift $(($# < 2 ? $# : 2))
	EXTRA=("$@")
	[ -e "$LAB_DIR/$LIST" ] || die "there is no list $LAB_DIR/$LIST: toolchain.list, kbuild.list or emulator-ARCH.list"
	if is_own "$suite"; then
		echo /
		return
	fi
	need mmdebstrap tar flock unshare
	name=$suite-$({ cat "$LAB_DIR/$LIST"; printf '%s' "$@"; } | hash_of)
	dir=$(cache_dir)/toolchains/$name
	mkdir -p "${dir%/*}" 2>/dev/null || die "cannot create ${dir%/*}: set UWIND_CACHE to a writable folder"
	lock "toolchain-$name"
	if [ -n "${UWIND_REFRESH:-}" ]; then rm -rf "$dir"; fi
	[ -d "$dir" ] || make_root "$suite" "$dir"
	printf '%s\n' "$dir"
}

main "$@"
