#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Installs what was built, for the kernel that runs here, and removes it again.
#
# Usage: install.sh install|uninstall|files BUILD DESTDIR PREFIX      DESTDIR may be empty
#   files   what belongs to the programs, without the module: what the Debian package "uwind" consists of
# A configuration file that was changed stays, whatever happens; reports stay.
set -euo pipefail
cd "$(dirname "$0")/.."

verb=$1 build=$2 root=$3 prefix=$4
release=$(uname -r)

# Where systemd and udev look, and zsh.
case $prefix in
/usr) units=/lib conf=/usr/lib zsh=/usr/share/zsh/vendor-completions ;;
/usr/local) units=/usr/local/lib conf=/usr/local/lib zsh=/usr/local/share/zsh/site-functions ;;
*) units=/etc conf=/etc zsh=$prefix/share/zsh/site-functions ;;
esac

# plan: "MODE FROM TO", one line per file of the programs.
plan() {
	local page
	cat <<-PLAN
		755 $build/daemon/uwind $prefix/bin/uwind
		755 $build/daemon/uwindd $prefix/sbin/uwindd
		644 daemon/systemd/uwindd.service $units/systemd/system/uwindd.service
		644 daemon/systemd/uwind.rules $units/udev/rules.d/60-uwind.rules
		644 daemon/systemd/uwind.sysusers $conf/sysusers.d/uwind.conf
		644 daemon/systemd/uwind.tmpfiles $conf/tmpfiles.d/uwind.conf
		644 daemon/systemd/uwindd.conf /etc/uwind/uwindd.conf
		644 daemon/completions/uwind.bash $prefix/share/bash-completion/completions/uwind
		644 daemon/completions/_uwind $zsh/_uwind
		644 include/uwind-report.schema.json $prefix/share/uwind/uwind-report.schema.json
	PLAN
	for page in daemon/man/*.[1-8]; do
		echo "644 $page $prefix/share/man/man${page##*.}/${page##*/}"
	done
}

# The module and what stays in the kernel when it goes, if they were built; uninstalling, where they may be.
plan_module() {
	local ko
	echo "644 daemon/systemd/uwind.modules-load $conf/modules-load.d/uwind.conf"
	for ko in uwind.ko uwind_resident1.ko; do
		if [ "$verb" = uninstall ] || [ -e "$build/kmod-$release/$ko" ]; then
			echo "644 $build/kmod-$release/$ko /lib/modules/$release/extra/$ko"
		fi
	done
}

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

is_configuration() { [ "${1#/etc/uwind/}" != "$1" ]; }

install_file() { # MODE FROM TO
	if is_configuration "$3" && [ -e "$root$3" ]; then return; fi
	install -D -m "$1" "$2" "$root$3"
	# The unit names the program without a folder; systemd does not look everywhere.
	case $3 in *.service) sed -i "s,^\(Exec[A-Za-z]*=\)uwindd,\1$prefix/sbin/uwindd," "$root$3" ;; esac
}

# The folders above it that bear our name go with the last file.
remove_file() { # FROM TO
	local dir
	if is_configuration "$2" && [ -e "$root$2" ] && ! cmp -s "$1" "$root$2"; then
		echo "install.sh: $root$2 was changed: it stays" >&2
		return
	fi
	rm -f "$root$2"
	dir=${2%/*}
	case $dir in */uwind) rmdir --ignore-fail-on-non-empty "$root$dir" 2>/dev/null || true ;; esac
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
		rmdir --ignore-fail-on-non-empty /var/lib/uwind/reports /var/lib/uwind 2>/dev/null || true
	fi
	udevadm control --reload || true
	systemctl daemon-reload || true
}

need_programs() {
	[ -e "$build/daemon/uwind" ] && return
	echo "install.sh: $build/daemon/uwind is missing: run 'make build' first" >&2
	exit 78
}

case $verb in
install)
	need_programs
	build_module
	{ plan && plan_module; } | while read -r mode from to; do install_file "$mode" "$from" "$to"; done
	refresh
	;;
files)
	need_programs
	plan | while read -r mode from to; do install_file "$mode" "$from" "$to"; done
	;;
uninstall)
	stop_service
	{ plan && plan_module; } | while read -r _ from to; do remove_file "$from" "$to"; done
	refresh
	;;
*)
	echo "usage: install.sh install|uninstall|files BUILD DESTDIR PREFIX" >&2
	exit 64
	;;
esac
