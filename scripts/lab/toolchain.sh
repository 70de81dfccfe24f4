#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Prints the root folder of a Debian suite's compilers and binutils for amd64 and arm64: "/" if that suite is this
# machine's own, else one that mmdebstrap made in the cache. Nothing in it is configured, and it has no shell.
#
# Usage: toolchain.sh SUITE        UWIND_REFRESH=1 makes it anew: suites move on
# Run a tool of it with in_root (common.sh).
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

packages() { grep -v '^#' "$LAB_DIR/toolchain.list" | xargs | tr ' ' ,; }

is_own() { [ "$(host_arch)" = amd64 ] && grep -qx "VERSION_CODENAME=$1" /etc/os-release; }

# sid's Release file can be older than it says it is good for.
source_of() {
	local suite=$1 options=
	if [ "$suite" = sid ]; then options='[check-valid-until=no] '; fi
	printf 'deb %s%s %s main\n' "$options" "$("$LAB_DIR/debs.sh" --mirror "$(host_arch)")" "$suite"
}

make_root() {
	local suite=$1 dir=$2 log source
	log=$(cache_dir)/toolchains/$suite.log
	source=$(source_of "$suite")
	note "unpacking $suite's compilers"
	rm -rf "$dir.tmp"
	mkdir -p "$dir.tmp"
	# Through tar: every file is the user's own then, whoever that is.
	mmdebstrap --quiet --variant=extract --architectures=amd64 --aptopt='Acquire::Languages "none"' \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
		--include="$(packages)" "$suite" - "$source" 2>"$log" |
		tar -x -C "$dir.tmp" --no-same-owner --exclude='./dev/*' ||
		die "mmdebstrap could not make a root of $suite: check that apt's mirror has that suite ($log)"
	mv "$dir.tmp" "$dir"
}

main() {
	[ $# = 1 ] || die "usage: toolchain.sh SUITE"
	local suite=$1 dir
	if is_own "$suite"; then
		echo /
		return
	fi
	need mmdebstrap tar flock unshare
	dir=$(cache_dir)/toolchains/$suite-$(hash_of <"$LAB_DIR/toolchain.list")
	lock "toolchain-$suite"
	if [ -n "${UWIND_REFRESH:-}" ]; then rm -rf "$dir"; fi
	[ -d "$dir" ] || make_root "$suite" "$dir"
	printf '%s\n' "$dir"
}

main "$@"
