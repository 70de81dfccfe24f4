#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Makes a disk with a Debian system as apt installs it, systemd and all, and prints the folder that holds it:
# disk.img (ext4, nobody has written to it yet) and root/, its folders and links only.
#
# Usage: guest-disk.sh SUITE PACKAGE...     amd64; UWIND_REFRESH=1 makes it anew
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

KEEP_DAYS=7
DISK_MIB=6144 # sparse: what is not written takes no room
SYSTEM='systemd-sysv udev dbus kmod procps busybox-static'

# Files' owners are the system's: as root, or with a range of subordinate ids.
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else unshare --map-root-user --map-auto "$@"; fi }

# What a machine without a network and without a terminal only waits for.
MASKED='getty@tty1.service serial-getty@.service apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer man-db.timer e2scrub_all.timer fstrim.timer'

# shellcheck disable=SC2016  # for the inner shell
make_disk() { # TAR DIR
	as_root bash -euc '
		cd "$2"
		mkdir all root
		tar -x -C all -f "$1" --exclude="./dev/*"
		for unit in $4; do ln -sf /dev/null "all/etc/systemd/system/$unit"; done
		echo uwind >all/etc/hostname
		echo "127.0.0.1 localhost uwind" >all/etc/hosts
		mke2fs -q -t ext4 -E root_owner=0:0 -d all disk.img "$3M" >/dev/null
		(cd all && find . \( -type d -o -type l \) -print0 | cpio --quiet --null -pdm ../root)
		rm -rf all' make_disk "$1" "$2" "$DISK_MIB" "$MASKED"
}

main() {
	[ $# -ge 1 ] || die "usage: guest-disk.sh SUITE PACKAGE..."
	local suite=$1 system dir
	shift
	need mke2fs cpio tar unshare
	# shellcheck disable=SC2086  # names
	system=$("$LAB_DIR/system-root.sh" "$suite" $SYSTEM "$@")
	dir=$(cache_dir)/disks/$suite-$({ cat "$LAB_DIR/guest-disk.sh" && echo "$system"; } | hash_of)
	lock "disk-${dir##*/}"
	if [ ! -e "$dir" ] || [ -n "${UWIND_REFRESH:-}" ]; then
		note "making a disk with $suite"
		rm -rf "$dir" "$dir.tmp"
		mkdir -p "$dir.tmp"
		make_disk "$system" "$dir.tmp"
		mv "$dir.tmp" "$dir"
		prune "${dir%/*}" "$KEEP_DAYS"
	fi
	touch "$dir"
	printf '%s\n' "$dir"
}

main "$@"
