#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Packs host files, the command and init of one run into an initramfs segment.
#
# Usage: guest-files.sh [--disk] ROOTDIR OUT.cpio HOSTPATH[:GUESTPATH]... -- COMMAND ARG...
# ROOTDIR is the guest's root as a folder: it tells which guest paths are folders.
# --disk: the guest's root is a disk; what it gets lies in /add until init has mounted that.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

# The part after the last colon is the guest's path, unless a file of the whole name exists.
split_add() {
	HOST=$1 GUEST=
	if [ ! -e "$1" ] && [[ $1 == *:* ]]; then HOST=${1%:*} GUEST=${1##*:}; fi
	[ -e "$HOST" ] || die "--add $1: '$HOST' does not exist"
	case $GUEST in
	'') GUEST=/root/ ;;
	/*) ;;
	*) die "--add $1: the guest's path must start with /" ;;
	esac
}

# A folder in the guest, or a trailing slash, means "into it".
target_of() {
	local path=$1
	case $path in
	*/) path+=$(basename "$(realpath -s "$HOST")") ;;
	*) if [ -d "$ROOT$path" ] && [ ! -d "$HOST" ]; then path+=/$(basename "$HOST"); fi ;;
	esac
	realpath -sm "$path"
}

# /bin and its like are links into usr: an entry below them must not replace the link.
merged() {
	local first=${1#/}
	first=${first%%/*}
	if [ -L "$ROOT/$first" ]; then printf '/usr%s\n' "$1"; else printf '%s\n' "$1"; fi
}

# Folders on the way keep the modes that the guest's root gives them.
make_parents() {
	local path=$1 at='' part
	while [[ $path == /*/* ]]; do
		part=${path#/}
		at+=/${part%%/*}
		path=/${part#*/}
		[ ! -d "$TREE$at" ] || continue
		mkdir "$TREE$at"
		if [ -d "$ROOT$at" ]; then chmod --reference="$ROOT$at" "$TREE$at"; fi
	done
}

add() {
	local target
	split_add "$1"
	target=$(merged "$(target_of "$GUEST")")
	make_parents "$target"
	cp -rHT --preserve=mode,timestamps,links "$HOST" "$TREE$target"
}

write_command() {
	mkdir -p "$TREE/usr/.lab" "$INITRAMFS"
	{
		echo '#!/bin/bash'
		printf 'exec'
		printf ' %q' "$@"
		echo
	} >"$TREE/usr/.lab/command"
	chmod 755 "$TREE/usr/.lab/command"
	install -m 755 "$REPO_DIR/qemu/init" "$INITRAMFS/init"
	[ "$TREE" = "$INITRAMFS" ] || install -m 755 "$REPO_DIR/qemu/init" "$TREE/usr/.lab/init"
}

main() {
	local disk='' out
	if [ "${1:-}" = --disk ]; then disk=/add && shift; fi
	[ $# -ge 4 ] || die "usage: guest-files.sh [--disk] ROOTDIR OUT.cpio HOSTPATH[:GUESTPATH]... -- COMMAND ARG..."
	ROOT=$1 out=$2
	shift 2
	INITRAMFS=$(mktemp -d "$out.XXXXXX")
	chmod 755 "$INITRAMFS"
	TREE=$INITRAMFS$disk
	mkdir -p "$TREE"
	while [ "$1" != -- ]; do
		add "$1"
		shift
	done
	shift
	write_command "$@"
	(cd "$INITRAMFS" && find . -mindepth 1 -print0 | sort -z | cpio --quiet --null -o -H newc -R +0:+0 >"$out")
	rm -rf "$INITRAMFS"
}

main "$@"
