#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Leaves freshly unpacked packages as apt would: accounts, maintainer scripts (so alternatives), ldconfig, Python's caches.
#
# Usage: configure-root.sh ROOT ARCH ORDERFILE      ORDERFILE: one package's dpkg name a line, in order
# The packages' own postinst scripts run chrooted into ROOT, in name spaces of their own. If ROOT is of another
# architecture, the host's essential programs (shell, coreutils, perl, dpkg) are mounted over ROOT's for that time;
# a script that needs another foreign program fails, which the log tells and which does not stop the rest.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

SCRIPT_SECONDS=120
ESSENTIAL="bash coreutils dash debianutils diffutils dpkg findutils grep gzip hostname mawk perl-base sed tar util-linux
	libc-bin"
# What would talk to a running system, or take long for nothing.
NO_OPERATION="systemctl deb-systemd-invoke invoke-rc.d service update-initramfs ldconfig udevadm py3compile py3clean mandb ischroot
	systemd-tmpfiles systemd-sysusers systemd-machine-id-setup dpkg-preconfigure"

prepare_books() {
	local db=$ROOT/var/lib/dpkg
	mkdir -p "$db"/{updates,info,triggers,alternatives} "$ROOT"/etc/{default,alternatives} "$ROOT/var/lib/misc" "$ROOT/var/log"
	touch "$db/available" "$db/lock" "$db/triggers/File" "$db/triggers/Unincorp"
	echo 1 >"$db/info/format"
	[ -e "$ROOT/etc/passwd" ] || cp "$ROOT/usr/share/base-passwd/passwd.master" "$ROOT/etc/passwd"
	[ -e "$ROOT/etc/group" ] || cp "$ROOT/usr/share/base-passwd/group.master" "$ROOT/etc/group"
}

# LAB: a folder in ROOT, for as long as the scripts run.
make_stubs() {
	local name
	mkdir -p "$LAB/stubs"
	for name in $NO_OPERATION; do
		printf '#!/bin/sh\nexit 0\n' >"$LAB/stubs/$name"
	done
	install -m 755 "$LAB_DIR/adduser-stub.sh" "$LAB/stubs/adduser"
	for name in addgroup useradd groupadd; do ln -s adduser "$LAB/stubs/$name"; done
	chmod 755 "$LAB"/stubs/*
	if [ "$FOREIGN" = 1 ]; then ln -s /usr/bin/mawk "$LAB/stubs/awk"; fi
}

# Each architecture has a library folder of its own, so the host's fits beside ROOT's.
mount_host_libraries() {
	local libs loader
	libs=/usr/lib/$(triplet "$(host_arch)")
	mkdir -p "$ROOT$libs"
	mount --bind "$libs" "$ROOT$libs"
	loader=$(ldd /bin/sh | grep -o '/[^ ]*/ld-linux[^ ]*')
	mkdir -p "$ROOT/usr${loader%/*}"
	[ -e "$ROOT${loader%/*}" ] || ln -s "usr${loader%/*}" "$ROOT${loader%/*}"
	[ -e "$ROOT$loader" ] || cp -L "$loader" "$ROOT$loader"
	echo "$ROOT$loader" >"$LAB/borrowed"
}

mount_host_programs() {
	local package path
	for package in $ESSENTIAL; do
		grep -E '^(/usr)?/s?bin/' "$ROOT/var/lib/dpkg/info/$package.list" || true
	done | while read -r path; do
		case $path in */ldconfig) continue ;; esac
		if [ -f "$path" ] && [ -f "$ROOT$path" ] && [ ! -L "$ROOT$path" ]; then mount --bind "$path" "$ROOT$path"; fi
	done
}

make_devices() {
	local name
	mount -t tmpfs tmpfs "$ROOT/dev"
	for name in null zero full random urandom; do
		: >"$ROOT/dev/$name"
		mount --bind "/dev/$name" "$ROOT/dev/$name"
	done
	ln -s /proc/self/fd "$ROOT/dev/fd"
	mount -t proc proc "$ROOT/proc"
}

# Python's scripts only compile, as compile_python does; usr-is-merged removes links that other architectures need.
run_script() {
	local name=$1 script=/var/lib/dpkg/info/$1.postinst
	case $name in python3* | usr-is-merged | usrmerge) return 0 ;; esac
	[ -e "$ROOT$script" ] || return 0
	timeout "$SCRIPT_SECONDS" chroot "$ROOT" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 PATH="$INSIDE_PATH" \
		DEBIAN_FRONTEND=noninteractive DEBCONF_NONINTERACTIVE_SEEN=true DPKG_MAINTSCRIPT_NAME=postinst \
		DPKG_MAINTSCRIPT_PACKAGE="${name%%:*}" DPKG_MAINTSCRIPT_ARCH="$ARCH" DPKG_RUNNING_VERSION=1.21.22 \
		"$script" configure '' </dev/null || echo "failed: $name"
}

# Runs in name spaces of its own, where mounts are seen by nobody else.
inside() {
	local name
	make_devices
	if [ "$FOREIGN" = 1 ]; then
		mount_host_libraries
		mount_host_programs
	fi
	while read -r name <&4; do run_script "$name"; done 4<"$ORDER"
	run_ldconfig
}

# What the mounts left: the host's loader, and folders that were made to mount on.
remove_traces() {
	local libs
	libs=$ROOT/usr/lib/$(triplet "$(host_arch)")
	if [ -e "$LAB/borrowed" ]; then
		rm -f "$(cat "$LAB/borrowed")"
		rmdir "$libs" 2>/dev/null || true
		if rmdir "$ROOT/usr/lib64" 2>/dev/null; then rm -f "$ROOT/lib64"; fi
	fi
	rm -rf "$LAB"
}

run_ldconfig() {
	local ldconfig=$ROOT/usr/sbin/ldconfig
	[ -e "$ldconfig" ] || return 0
	if [ "$FOREIGN" = 0 ]; then
		"$ldconfig" -r "$ROOT"
	elif command -v "qemu-$(kernel_machine)-static" >/dev/null; then
		"qemu-$(kernel_machine)-static" "$ldconfig" -r "$ROOT"
	else
		echo "skipped: ldconfig, for want of qemu-user-static"
	fi
}

kernel_machine() { case $ARCH in amd64) echo x86_64 ;; arm64) echo aarch64 ;; esac; }

# Python's byte code is the same everywhere; by hash, as the kernel's unpacking may change the sources' times.
compile_python() {
	local dir version packages=$ROOT/usr/lib/python3/dist-packages
	for dir in "$ROOT"/usr/lib/python3.*; do
		version=${dir##*/}
		if [ ! -e "$dir/os.py" ] || ! command -v "$version" >/dev/null; then continue; fi
		"$version" -m compileall -q -j "$(nproc)" --invalidation-mode unchecked-hash -s "$ROOT" -p / "$dir" "$packages" || true
	done
}

# Rights to make name spaces: root's, else a user name space where the system allows it.
own_spaces() {
	local user=()
	[ "$(id -u)" = 0 ] || user=(--map-root-user)
	unshare "${user[@]}" --mount --pid --fork --kill-child "$@"
}

main() {
	ROOT=$1 ARCH=$2 ORDER=$3
	FOREIGN=0
	INSIDE_PATH=/.lab/stubs:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	[ "$ARCH" = "$(host_arch)" ] || FOREIGN=1
	LAB=$ROOT/.lab
	if [ "${4:-}" = inside ]; then
		inside
		return
	fi
	prepare_books
	rm -rf "$LAB"
	make_stubs
	own_spaces "$0" "$ROOT" "$ARCH" "$ORDER" inside || echo "failed: maintainer scripts (no right to make name spaces?)"
	remove_traces
	compile_python
}

main "$@"
