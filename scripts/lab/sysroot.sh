#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Unpacks Debian packages of a list, with what they depend on, into a folder in the cache that nothing ever runs in; prints it.
#
# Usage: sysroot.sh ARCH [LIST]     LIST: sysroot.list (the default: what a cross build of uwind needs; the compiler side
# is aarch64.cmake) or install.list (a whole install, for comparisons over all of its files). No maintainer script runs.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

packages() { grep -v '^#' "$LAB_DIR/$1" | xargs -n1; }

merged_usr() {
	local dir=$1 d dirs="bin sbin lib"
	if [ "$2" = amd64 ]; then dirs+=" lib64"; fi
	for d in $dirs; do
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
	local dir=$1 arch=$2 deb
	shift 2
	merged_usr "$dir" "$arch"
	for deb in "$@"; do
		dpkg-deb --fsys-tarfile "$deb" | from_tar --keep-directory-symlink -C "$dir" --exclude='./usr/share/doc' --exclude='./usr/share/man'
	done
	relative_links "$dir"
}

main() {
	[ $# = 1 ] || [ $# = 2 ] || die "usage: sysroot.sh ARCH [LIST]"
	local arch=$1 list=${2:-sysroot.list} debs dir names
	check_arch "$arch"
	[ -e "$LAB_DIR/$list" ] || die "there is no list $LAB_DIR/$list: sysroot.list or install.list"
	need dpkg-deb tar flock
	mapfile -t names < <(packages "$list")
	debs=$("$LAB_DIR/debs.sh" "$arch" "${names[@]}")
	dir=$(cache_dir)/sysroots/$arch-${list%.list}-$({ cat "$LAB_DIR/sysroot.sh"; printf '%s' "$debs"; } | hash_of)
	if [ ! -d "$dir" ]; then
		lock "sysroot-$arch-${list%.list}"
		rm -rf "$dir.tmp"
		mkdir -p "$dir.tmp"
		# shellcheck disable=SC2086  # paths without blanks
		[ -d "$dir" ] || { fill "$dir.tmp" "$arch" $debs && mv "$dir.tmp" "$dir"; }
	fi
	printf '%s\n' "$dir"
}

main "$@"
