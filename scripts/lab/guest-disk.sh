#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Makes a disk with a Debian system as apt installs it, systemd and all, and prints the folder that holds it:
# disk.img (ext4, nobody has written to it yet) and root/, its folders and links only.
#
# Usage: guest-disk.sh SUITE PACKAGE...     amd64; UWIND_REFRESH=1 makes it anew: suites move on
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

KEEP_DAYS=7
DISK_MIB=6144 # sparse: what is not written takes no room
SYSTEM=systemd-sysv,udev,dbus,kmod,procps,busybox-static

# Files' owners are the system's: as root, or with a range of subordinate ids.
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else unshare --map-root-user --map-auto "$@"; fi }

# What a machine without a network and without a terminal only waits for.
MASKED='getty@tty1.service serial-getty@.service apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer man-db.timer e2scrub_all.timer fstrim.timer'

# shellcheck disable=SC2016  # hooks are for mmdebstrap's shell
unpack() {
	local dir=$1 suite=$2 include=$3 log of=()
	log=$(cache_dir)/disks/$suite.log
	if [ "$suite" != "$(own_suite)" ]; then of=(--suite "$suite"); fi
	"$LAB_DIR/debs.sh" --sources "${of[@]}" amd64 >"$dir/sources.list"
	mmdebstrap --quiet --variant=apt --architectures=amd64 --aptopt='Acquire::Languages "none"' \
		--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
		--customize-hook="for unit in $MASKED; do ln -sf /dev/null \"\$1/etc/systemd/system/\$unit\"; done" \
		--customize-hook='echo uwind >"$1/etc/hostname"; echo "127.0.0.1 localhost uwind" >"$1/etc/hosts"' \
		--include="$SYSTEM,$include" "$suite" "$dir/root.tar" "$dir/sources.list" 2>"$log" ||
		die "mmdebstrap could not make a system of $suite: $(grep '^E:' "$log" | tail -1) ($log)"
}

# shellcheck disable=SC2016  # for the inner shell
make_disk() {
	as_root bash -euc '
		cd "$1"
		mkdir all root
		tar -x -C all -f root.tar --exclude="./dev/*"
		mke2fs -q -t ext4 -E root_owner=0:0 -d all disk.img "$2M" >/dev/null
		(cd all && find . \( -type d -o -type l \) -print0 | cpio --quiet --null -pdm ../root)
		rm -rf all root.tar' make_disk "$1" "$DISK_MIB"
}

main() {
	[ $# -ge 1 ] || die "usage: guest-disk.sh SUITE PACKAGE..."
	local suite=$1 include dir
	shift
	need mmdebstrap mke2fs cpio tar unshare
	include=$(IFS=, && echo "$*")
	dir=$(cache_dir)/disks/$suite-$({ cat "$LAB_DIR/guest-disk.sh" && echo "$include"; } | hash_of)
	lock "disk-${dir##*/}"
	if [ -n "${UWIND_REFRESH:-}" ]; then rm -rf "$dir"; fi
	if [ ! -e "$dir" ]; then
		note "making a disk with $suite"
		rm -rf "$dir.tmp"
		mkdir -p "$dir.tmp"
		unpack "$dir.tmp" "$suite" "${include:-kmod}"
		make_disk "$dir.tmp"
		mv "$dir.tmp" "$dir"
		prune "${dir%/*}" "$KEEP_DAYS"
	fi
	touch "$dir"
	printf '%s\n' "$dir"
}

main "$@"
