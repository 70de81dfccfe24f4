#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Installs into a folder and uninstalls again, for three prefixes: everything is there, and then nothing is left.
#
# Usage: check-install.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."

build=$1 bad=0
dest=$(mktemp -d)
errors=$(mktemp)
trap 'rm -rf "$dest" "$errors"' EXIT

complain() {
	printf '%s: %s\n' "$prefix" "$*"
	bad=1
}

run() { make -s "$1" BUILD="$build" DESTDIR="$dest" PREFIX="$prefix" 2>"$errors" || complain "make $1 failed: $(<"$errors")"; }

same() { [ "$2" = "$3" ] || complain "$1 is '$2', not '$3'"; }

has() { [ -s "$dest$1" ] || complain "$1 is not installed"; }

check_installed() {
	local page program
	for page in daemon/man/*.[1-8]; do has "$prefix/share/man/man${page##*.}/${page##*/}"; done
	has "$prefix/share/bash-completion/completions/uwind"
	has "$prefix/share/uwind/uwind-report.schema.json"
	has /etc/uwind/uwindd.conf
	"$dest$prefix/bin/uwind" --version >/dev/null || complain "uwind does not run"
	[ "$(find "$dest" -name uwindd.service -o -name '60-uwind.rules' -o -name uwind.conf -o -name _uwind | wc -l)" = 6 ] ||
		complain "unit, rules, sysusers.d, tmpfiles.d, modules-load.d and zsh's completion are not six files"
	program=$(sed -n 's/^ExecStart=\([^ ]*\).*/\1/p' "$(find "$dest" -name uwindd.service)")
	same "what the unit starts" "$program" "$prefix/sbin/uwindd"
	[ -x "$dest$program" ] || complain "$program is not installed"
}

# Files that others own stay; of folders those that bear our name go.
check_nothing_left() {
	local left
	left=$(find "$dest" ! -type d ! -name other -o -name '*uwind*' | sort)
	[ -z "$left" ] || complain "uninstalling left" "$left"
	[ "$(find "$dest" -name other | wc -l)" = 2 ] || complain "uninstalling removed what it had not installed"
}

check_changed_configuration() {
	run install
	echo "keep = 7" >>"$dest/etc/uwind/uwindd.conf"
	run install
	run uninstall
	grep -qx "keep = 7" "$dest/etc/uwind/uwindd.conf" || complain "a changed configuration did not stay"
}

for prefix in /usr/local /usr /opt/uw; do
	mkdir -p "$dest$prefix/bin" "$dest/etc/udev/rules.d"
	touch "$dest$prefix/bin/other" "$dest/etc/udev/rules.d/other"
	run install
	check_installed
	run uninstall
	check_nothing_left
	check_changed_configuration
	rm -rf "${dest:?}"/*
done
exit $bad
