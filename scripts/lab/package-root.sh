#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Prints a tar file in the cache: a configured root of Debian 12 with what uwind's packages depend on, kernel headers and
# DKMS among them, and the tools that judge packages. mmdebstrap makes it, for the host's architecture.
#
# Usage: package-root.sh        UWIND_REFRESH=1 makes it anew
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

SUITE=bookworm

packages() { grep -v '^#' "$LAB_DIR/package-root.list" | sed "s/ARCH/$(host_arch)/" | xargs | tr ' ' ,; }

# Trusted as the host's apt trusts it; security updates come with the host's own sources, not here.
make_root() {
	local tar=$1 log
	log=$(cache_dir)/package-roots/$SUITE.log
	note "making a root of $SUITE with DKMS, kernel headers and lintian"
	mmdebstrap --quiet --variant=apt --architectures="$(host_arch)" --aptopt='Acquire::Languages "none"' \
		--aptopt='APT::Install-Recommends "false"' --include="$(packages)" "$SUITE" "$tar.tmp.tar" \
		"deb $("$LAB_DIR/debs.sh" --mirror "$(host_arch)") $SUITE main" >"$log" 2>&1 ||
		die "mmdebstrap could not make a root of $SUITE: $(grep -m1 '^E:' "$log" || echo "see its log") ($log)"
	mv "$tar.tmp.tar" "$tar"
}

main() {
	[ $# = 0 ] || die "usage: package-root.sh"
	local tar
	need mmdebstrap flock
	tar=$(cache_dir)/package-roots/$SUITE-$(host_arch)-$(cat "$LAB_DIR/package-root.list" "${BASH_SOURCE[0]}" | hash_of).tar
	mkdir -p "${tar%/*}" 2>/dev/null || die "cannot create ${tar%/*}: set UWIND_CACHE to a writable folder"
	lock "package-root-$SUITE"
	prune "${tar%/*}" 30
	if [ -n "${UWIND_REFRESH:-}" ]; then rm -f "$tar"; fi
	[ -e "$tar" ] || make_root "$tar"
	touch "$tar"
	printf '%s\n' "$tar"
}

main "$@"
