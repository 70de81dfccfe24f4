#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Makes a development sysroot (headers and libraries of what uwind links against) for a foreign architecture; prints it.
#
# Usage: sysroot.sh ARCH        The compiler side is aarch64.cmake.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

packages() { grep -v '^#' "$LAB_DIR/sysroot.list" | xargs -n1; }

merged_usr() {
	local dir=$1 d
	for d in bin sbin lib; do
		mkdir -p "$dir/usr/$d"
		ln -s "usr/$d" "$dir/$d"
	done
}

# An absolute link would lead into the host.
relative_links() {
	local dir=$1 link target
	find "$dir" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
		target=$(readlink "$link")
		ln -sfnr "$dir$target" "$link"
	done
}

fill() {
	local dir=$1 deb
	shift
	merged_usr "$dir"
	for deb in "$@"; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$dir" --exclude='./usr/share/doc' --exclude='./usr/share/man'
	done
	relative_links "$dir"
}

main() {
	[ $# = 1 ] || die "usage: sysroot.sh ARCH"
	local arch=$1 debs dir names
	check_arch "$arch"
	need dpkg-deb tar flock
	mapfile -t names < <(packages)
	debs=$("$LAB_DIR/debs.sh" "$arch" "${names[@]}")
	dir=$(cache_dir)/sysroots/$arch-$({ cat "$LAB_DIR/sysroot.sh"; printf '%s' "$debs"; } | hash_of)
	if [ ! -d "$dir" ]; then
		lock "sysroot-$arch"
		rm -rf "$dir.tmp"
		mkdir -p "$dir.tmp"
		# shellcheck disable=SC2086  # paths without blanks
		[ -d "$dir" ] || { fill "$dir.tmp" $debs && mv "$dir.tmp" "$dir"; }
	fi
	printf '%s\n' "$dir"
}

main "$@"
