#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Makes the guest's root file system from Debian packages and prints its initramfs segments, to be concatenated in order.
#
# Usage: guest-root.sh ARCH [PACKAGE[:ARCH]...]
# Two segments at most: the base that every guest has, and what the requested packages and their dependencies add.
# Both are kept by the hash of their package files; beside each root.cpio lies root/, the same as a folder.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

KEEP_DAYS=7

recipe() { cat "$LAB_DIR/guest-root.sh" "$LAB_DIR"/{configure-root,adduser-stub}.sh "$LAB_DIR/guest-base.list"; }

base_packages() { grep -v '^#' "$LAB_DIR/guest-base.list"; }

# Debian 12's layout: /bin and its like are links into usr, before any package can make them folders.
make_merged_usr() {
	local root=$1 d dirs="bin sbin lib"
	if [ "$ARCH" = amd64 ]; then dirs+=" lib32 lib64 libx32"; fi
	for d in $dirs; do
		mkdir -p "$root/usr/$d"
		[ -e "$root/$d" ] || ln -s "usr/$d" "$root/$d"
	done
}

make_folders() {
	local root=$1
	mkdir -p "$root"/{dev,etc,out,proc,root,run,sys,tmp,usr,var/lib/dpkg/info}
	chmod 1777 "$root/tmp"
	chmod 700 "$root/root"
}

# Unpacks through links to folders, and keeps dpkg's books so that dpkg -L and the maintainer scripts find theirs.
unpack_deb() {
	local root=$1 deb=$2 info=$1/var/lib/dpkg/info name arch f tmp
	name=$(dpkg-deb -f "$deb" Package)
	arch=$(dpkg-deb -f "$deb" Architecture)
	if [ "$(dpkg-deb -f "$deb" Multi-Arch)" = same ]; then name+=:$arch; fi
	dpkg-deb --fsys-tarfile "$deb" | from_tar -vp --keep-directory-symlink -C "$root" |
		sed -e 's,^\.,,' -e 's,/$,,' -e 's,^$,/.,' >"$info/$name.list"
	tmp=$(mktemp -d "$root.control.XXXXXX")
	dpkg-deb -e "$deb" "$tmp"
	forget_package "$root/var/lib/dpkg/status" "$(dpkg-deb -f "$deb" Package)" "$arch"
	awk 'NR == 2 { print "Status: install ok installed" } { print } END { print "" }' "$tmp/control" >>"$root/var/lib/dpkg/status"
	rm "$tmp/control"
	for f in "$tmp"/*; do [ ! -e "$f" ] || mv "$f" "$info/$name.${f##*/}"; done
	rmdir "$tmp"
	printf '%s\n' "$name" >>"$root.order"
}

# A package of another version may be there from the base: dpkg's book has one entry for each.
forget_package() {
	[ -e "$1" ] || return 0
	awk -v RS= -v ORS='\n\n' -v name="$2" -v arch="$3" '
		!(index($0, "Package: " name "\n") == 1 && index($0, "\nArchitecture: " arch "\n"))' "$1" >"$1.new"
	mv "$1.new" "$1"
}

unpack_all() {
	local root=$1 deb
	shift
	make_merged_usr "$root"
	: >"$root.order"
	for deb in "$@"; do unpack_deb "$root" "$deb"; done
	"$LAB_DIR/configure-root.sh" "$root" "$ARCH" "$root.order" >"$root.log" 2>&1 ||
		die "the guest's packages could not be configured: see $root.log"
}

# No manuals and translations in the base: they would be copied into memory at every boot.
build_base() {
	local dir=$1
	shift
	make_folders "$dir/root"
	unpack_all "$dir/root" "$@"
	rm -rf "$dir"/root/usr/share/{doc,man,info,locale,lintian,bug}/*
	(cd "$dir/root" && find . -print0 | sort -z | pack >"$dir/root.cpio")
}

# Who is not root cannot unpack other owners' files: all become root's.
pack() {
	local owner=()
	[ "$(id -u)" = 0 ] || owner=(-R +0:+0)
	cpio --quiet --null -o -H newc "${owner[@]}"
}

# Hard links to the base save time and space; etc and var are real copies, since scripts write in them.
copy_base() {
	local base=$1 root=$2
	cp -al "$base" "$root"
	rm -rf "${root:?}/etc" "${root:?}/var"
	cp -a "$base/etc" "$base/var" "$root/"
}

# Only what is not the base's own inode; folders and links are cheap and keep their modes.
build_extra() {
	local dir=$1 base=$2
	shift 2
	copy_base "$base" "$dir/root"
	unpack_all "$dir/root" "$@"
	find "$base" -type f -printf '%i\n' >"$dir/base-inodes"
	(cd "$dir/root" && find . -printf '%i %P\0' | awk -v RS='\0' -v ORS='\0' '
		FILENAME != "-" { old[$1]; next }
		!($1 in old) { sub(/^[0-9]+ /, ""); if ($0 != "") print }' RS='\n' "$dir/base-inodes" RS='\0' - |
		sort -z | pack >"$dir/root.cpio")
}

# cached NAME LIST BUILD...: the directory of that content, built once, whoever asks.
cached() {
	local name=$1 debs=$2 dir
	shift 2
	dir=$(cache_dir)/roots/$name-$({ recipe; printf '%s\n' "$@" "$debs"; } | hash_of)
	if [ ! -e "$dir/root.cpio" ]; then
		lock "root-${dir##*/}"
		if [ ! -e "$dir/root.cpio" ]; then
			rm -rf "$dir.tmp"
			mkdir -p "$dir.tmp"
			# shellcheck disable=SC2086  # a list of paths without blanks
			"$1" "$dir.tmp" "${@:2}" $debs
			mv "$dir.tmp" "$dir"
			prune "${dir%/*}" "$KEEP_DAYS"
		fi
		unlock
	fi
	touch "$dir"
	printf '%s\n' "$dir"
}

main() {
	[ $# -ge 1 ] || die "usage: guest-root.sh ARCH [PACKAGE[:ARCH]...]"
	ARCH=$1
	shift
	check_arch "$ARCH"
	need dpkg-deb cpio tar flock
	local base_names base_debs all_debs extra_debs base
	mapfile -t base_names < <(base_packages | xargs -n1)
	base_debs=$("$LAB_DIR/debs.sh" "$ARCH" "${base_names[@]}")
	base=$(cached "$ARCH-base" "$base_debs" build_base)
	printf '%s\n' "$base/root.cpio"
	[ $# -gt 0 ] || return 0
	all_debs=$("$LAB_DIR/debs.sh" "$ARCH" "${base_names[@]}" "$@")
	extra_debs=$(grep -vxF -f <(printf '%s\n' "$base_debs") <<<"$all_debs" || true)
	[ -n "$extra_debs" ] || return 0
	printf '%s\n' "$(cached "$ARCH-extra" "$extra_debs" build_extra "$base/root")/root.cpio"
}

main "$@"
