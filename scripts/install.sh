#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Installs what was built, for the kernel that runs here, and removes it again.
#
# Usage: install.sh install|uninstall BUILD DESTDIR PREFIX      DESTDIR may be empty
set -euo pipefail
cd "$(dirname "$0")/.."

verb=$1 build=$2 root=$3 prefix=$4
release=$(uname -r)

# What is there; uninstalling, all that may have been.
have() { [ "$verb" = uninstall ] || [ -e "$1" ]; }

# plan: "MODE FROM TO", one line per file.
plan() {
	local page
	printf '%s\n' "755 $build/daemon/uwind $prefix/bin/uwind" "755 $build/daemon/uwindd $prefix/sbin/uwindd"
	! have daemon/systemd/uwindd.service || echo "644 daemon/systemd/uwindd.service /etc/systemd/system/uwindd.service"
	for page in daemon/man/*.[1-8]; do
		[ ! -e "$page" ] || echo "644 $page $prefix/share/man/man${page##*.}/${page##*/}"
	done
	! have "$build/kmod-$release/uwind.ko" || echo "644 $build/kmod-$release/uwind.ko /lib/modules/$release/extra/uwind.ko"
}

# The module of the kernel that runs here, if its headers are installed.
build_module() {
	[ -d "/lib/modules/$release/build" ] || {
		echo "install.sh: no headers of $release: install linux-headers-$release for the module; programs only" >&2
		return 0
	}
	mkdir -p "$build/kmod-$release"
	rsync -a kmod/ "$build/kmod-$release/"
	make -C "/lib/modules/$release/build" M="$PWD/$build/kmod-$release" UWIND_INCLUDE="$PWD/include" modules >&2
}

refresh() { [ -n "$root" ] || depmod -a || true; }

case $verb in
install)
	[ -e "$build/daemon/uwind" ] || { echo "install.sh: $build/daemon/uwind is missing: run 'make build' first" >&2; exit 78; }
	build_module
	plan | while read -r mode from to; do install -D -m "$mode" "$from" "$root$to"; done
	refresh
	;;
uninstall)
	plan | while read -r _ _ to; do rm -f "$root$to"; done
	refresh
	;;
*)
	echo "usage: install.sh install|uninstall BUILD DESTDIR PREFIX" >&2
	exit 64
	;;
esac
