#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Prints a tar file in the cache: a Debian system of a suite as apt installs it, configured, with security updates.
#
# Usage: system-root.sh SUITE PACKAGE...     of the host's architecture; UWIND_REFRESH=1 makes it anew: suites move on
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

KEEP_DAYS=7

make_system() {
	local suite=$1 include=$2 tar=$3 log=${3%.tar}.log what="a system of $1"
	note "making $what"
	sources_of "$(host_arch)" "$suite" >"$tar.list"
	fetch_patiently "$what" "$log" bootstrap --variant=apt --architectures="$(host_arch)" --aptopt='APT::Install-Recommends "false"' \
		--include="$include" "$suite" "$tar.new.tar" "$tar.list" || die_fetching $? "$what" "$log"
	mv "$tar.new.tar" "$tar"
}

main() {
	[ $# -ge 2 ] || die "usage: system-root.sh SUITE PACKAGE..."
	local suite=$1 include tar
	shift
	need mmdebstrap flock
	include=$(IFS=, && echo "$*")
	tar=$(cache_dir)/systems/$suite-$({ cat "$LAB_DIR/system-root.sh" && echo "$include"; } | hash_of).tar
	mkdir -p "${tar%/*}" 2>/dev/null || die "cannot create ${tar%/*}: set UWIND_CACHE to a writable folder"
	lock "system-${tar##*/}"
	if [ -n "${UWIND_REFRESH:-}" ]; then rm -f "$tar"; fi
	if [ ! -e "$tar" ]; then
		make_system "$suite" "$include" "$tar"
		prune "${tar%/*}" "$KEEP_DAYS"
	fi
	touch "$tar"
	printf '%s\n' "$tar"
}

main "$@"
