#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Installs what was built (daemon/install.cmake) and the module for the kernel that runs here, and removes both again.
#
# Usage: install.sh install|uninstall BUILD DESTDIR PREFIX      DESTDIR may be empty
# The list of installed files is PREFIX/share/uwind/installed-files. A configuration file that was changed stays; reports stay.
set -euo pipefail
cd "$(dirname "$0")/.."

verb=$1 build=$2 root=$3 prefix=$4
release=$(uname -r)
list=$root$prefix/share/uwind/installed-files

# The module of the kernel that runs here, if its headers are installed.
build_module() {
	[ -d "/lib/modules/$release/build" ] || {
		echo "install.sh: no headers of $release: install linux-headers-$release for the module; programs only" >&2
		return 0
	}
	mkdir -p "$build/kmod-$release"
	rsync -a kmod/ "$build/kmod-$release/"
	make -C "/lib/modules/$release/build" M="$PWD/$build/kmod-$release" UWIND_INCLUDE="$PWD/include" UWIND_VERSION="$(cat VERSION)" modules >&2
}

# The module and the part that stays loaded when it goes, if they were built.
install_module() {
	local conf=/etc ko
	case $prefix in
	/usr) conf=/usr/lib ;;
	/usr/local) conf=/usr/local/lib ;;
	esac
	add 644 daemon/systemd/uwind.modules-load "$conf/modules-load.d/uwind.conf"
	for ko in uwind.ko uwind_resident1.ko; do
		if [ -e "$build/kmod-$release/$ko" ]; then add 644 "$build/kmod-$release/$ko" "/lib/modules/$release/extra/$ko"; fi
	done
}

add() { # MODE FROM TO
	install -D -m "$1" "$2" "$root$3"
	printf '%s\n' "$3" >>"$list"
}

install_programs() {
	[ -e "$build/daemon/uwind" ] || {
		echo "install.sh: $build/daemon/uwind is missing: run 'make build' first" >&2
		exit 78
	}
	cmake "$build" -DCMAKE_INSTALL_PREFIX="$prefix" >/dev/null
	DESTDIR=$root cmake --install "$build" >/dev/null
	printf '%s\n' "$(cat "$build/install_manifest.txt")" >"$list"
	grep -qx /etc/uwind/uwindd.conf "$list" || echo /etc/uwind/uwindd.conf >>"$list"
	printf '%s\n' "$prefix/share/uwind/installed-files" >>"$list"
}

# The folders above it that bear our name go with the last file.
remove_file() { # FILE
	local dir=${1%/*}
	if [ "$dir" = /etc/uwind ] && [ -e "$root$1" ] && ! cmp -s daemon/systemd/uwindd.conf "$root$1"; then
		echo "install.sh: $root$1 was changed: it stays" >&2
		return
	fi
	rm -f "$root$1"
	case $dir in */uwind) rmdir --ignore-fail-on-non-empty "$root$dir" 2>/dev/null || true ;; esac
}

remove_installed() {
	local files
	[ -e "$list" ] || {
		echo "install.sh: $list is missing: nothing was installed with this prefix" >&2
		exit 78
	}
	mapfile -t files <"$list"
	for file in "${files[@]}"; do remove_file "$file"; done
}

# The service does not outlive its files.
stop_service() {
	if [ -z "$root" ] && [ -d /run/systemd/system ]; then systemctl disable --now --quiet uwindd.service || true; fi
}

# What a running system has to be told. Not in a DESTDIR: others do it there.
refresh() {
	[ -z "$root" ] || return 0
	depmod -a || true
	[ -d /run/systemd/system ] || return 0
	if [ "$verb" = install ]; then
		systemd-sysusers uwind.conf
		systemd-tmpfiles --create uwind.conf
	else
		rm -rf /var/cache/uwind
		rmdir --ignore-fail-on-non-empty /var/lib/uwind/reports /var/lib/uwind 2>/dev/null || true
	fi
	udevadm control --reload || true
	systemctl daemon-reload || true
}

case $verb in
install)
	install_programs
	build_module
	install_module
	refresh
	;;
uninstall)
	stop_service
	remove_installed
	refresh
	;;
*)
	echo "usage: install.sh install|uninstall BUILD DESTDIR PREFIX" >&2
	exit 64
	;;
esac
