#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Brings this machine to where everything builds and runs: Debian packages, kernels, guest packages. Quick if nothing is missing.
#
# Usage: setup.sh [LIST]...        LIST: further lists in scripts/lab, for verbs that few people need
set -euo pipefail
# shellcheck source=lab/common.sh
. "$(dirname "$0")/lab/common.sh"

MIN_DISK_MIB=6144
MIN_MEMORY_MIB=3072

LISTS=(packages.list "$@")

wanted() { (cd "$LAB_DIR" && grep -hv '^#' "${LISTS[@]}") | xargs -n1; }

# What is asked for and not installed; one dpkg-query for all.
missing() {
	local packages
	mapfile -t packages < <(wanted)
	# shellcheck disable=SC2016  # dpkg-query expands these
	comm -13 <(dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' "${packages[@]}" 2>/dev/null | sed -n 's/^ii  *//p' | sort -u) \
		<(printf '%s\n' "${packages[@]}" | sort -u)
}

check_machine() {
	local dir free
	command -v dpkg-query >/dev/null || die "this is not a Debian system: dpkg-query is missing"
	dir=$(cache_dir)
	mkdir -p "$dir" 2>/dev/null || die "cannot create the cache $dir: set UWIND_CACHE to a writable folder"
	free=$(memory_mib)
	[ "$free" -ge "$MIN_MEMORY_MIB" ] || die "$free MiB of memory are free, $MIN_MEMORY_MIB are needed: end other programs"
}

# A full cache needs no more room.
check_disk() {
	local free
	free=$(disk_mib "$(cache_dir)")
	[ "$free" -ge "$MIN_DISK_MIB" ] ||
		die "$free MiB are free at $(cache_dir), $MIN_DISK_MIB are needed: make room or set UWIND_CACHE"
}

apt() { DEBIAN_FRONTEND=noninteractive apt_get -qq -y -o DPkg::Lock::Timeout=300 "$@"; }

# can_install PACKAGE: does apt know it, and can it be installed beside what is there?
can_install() { apt-get -qq -s install "$1" >/dev/null 2>&1; }

explain_failure() {
	local p
	for p in "$@"; do
		can_install "$p" || die "package $p cannot be installed: check apt's sources, then 'apt-get update' ($LOG)"
	done
	die "apt-get could not install $*: $(first_error "$LOG") ($LOG)"
}

# download PACKAGE...: 1 if apt says no. From the second try on by a fresh index; what was wrong with that is in LOG, too.
download() {
	local index=$LOG.index status=0
	[ -z "$TRIED" ] || fetch "apt's package index" "$index" apt update || true
	fetch "Debian packages ($*)" "$LOG" apt --download-only install --no-install-recommends "$@" || status=$?
	if [ $status = 1 ] && [ -n "$TRIED" ]; then renewal_lines "$index" >>"$LOG" || true; fi
	TRIED=1
	return $status
}

# install PACKAGE...: 1 if apt says no. Only the download is watched and tried again: dpkg is never interrupted.
install() {
	local what="Debian packages ($*)" status=0
	TRIED=
	download "$@" || status=$?
	# A machine's first index may be missing.
	if [ $status = 1 ]; then
		status=0
		patiently "$what" "$LOG" download "$@" || status=$?
	fi
	[ $status != "$EX_LOST" ] || die_fetching $status "$what" "$LOG"
	[ $status = 0 ] && apt install --no-install-recommends "$@" >"$LOG" 2>&1
}

install_packages() {
	local packages
	mapfile -t packages < <(missing)
	[ ${#packages[@]} -gt 0 ] || return 0
	[ "$(id -u)" = 0 ] || die "these Debian packages are missing and only root can install them: ${packages[*]}"
	check_disk
	lock setup
	LOG=$(cache_dir)/apt-install.log
	note "installing ${packages[*]}"
	install "${packages[@]}" || explain_failure "${packages[@]}"
	unlock
}

fetch_kernels() {
	local arch
	for arch in amd64 arm64; do
		[ -e "$(cache_dir)/kernels/$arch/6.1/release" ] || check_disk
		"$LAB_DIR/fetch-kernel.sh" "$arch" 6.1 >/dev/null
	done
}

main() {
	check_machine
	install_packages
	fetch_kernels
}

main "$@"
