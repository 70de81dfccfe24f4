#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds tests/programs/steps_victim.cpp with .sframe by a Debian suite's toolchain, beside that suite's libraries, and
# prints the folder: it has the program, and lib/ with what it loads.
#
# Usage: sframe-victim.sh SUITE ARCH VARIANT [HOME]
#   VARIANT   plain; now: nothing is bound lazily; ibt: PLTs begin with endbr64 (amd64)
#   HOME      where the folder will lie when the program runs, if elsewhere
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

SOURCE=$REPO_DIR/tests/programs/steps_victim.cpp

interpreter() { case $1 in amd64) echo ld-linux-x86-64.so.2 ;; arm64) echo ld-linux-aarch64.so.1 ;; esac }

# As tests/programs/Makefile builds it.
flags() {
	printf '%s\n' -O2 -g1 -fomit-frame-pointer -D_GNU_SOURCE -Wa,--gsframe \
		"-Wl,--dynamic-linker=$HOME_DIR/lib/$(interpreter "$ARCH")" "-Wl,-rpath,$HOME_DIR/lib"
	if [ "$ARCH" = arm64 ]; then echo -mbranch-protection=standard; fi
	case $VARIANT in
	plain) echo -Wl,-z,lazy ;;
	now) echo -Wl,-z,now ;;
	ibt) printf '%s\n' -fcf-protection=full -Wl,-z,lazy -Wl,-z,ibtplt ;;
	esac
}

# Of the root: what the compiler would link against.
libraries() {
	local name
	for name in "$(interpreter "$ARCH")" libc.so.6 libm.so.6 libgcc_s.so.1 libstdc++.so.6; do
		in_root "$ROOT" / "$(triplet "$ARCH")-g++" -print-file-name="$name"
	done
}

copy_libraries() {
	local path
	mkdir "$1/lib"
	while read -r path; do
		cp -L "${ROOT%/}$path" "$1/lib/${path##*/}"
	done < <(libraries)
}

build() {
	local dir=$1 work flags
	mapfile -t flags < <(flags)
	work=$(mktemp -d "${ROOT%/}/tmp/uwind-victim.XXXXXX")
	cp "$SOURCE" "$work"
	in_root "$ROOT" "/${work#"${ROOT%/}/"}" "$(triplet "$ARCH")-g++" "${flags[@]}" -o steps_victim steps_victim.cpp
	cp "$work/steps_victim" "$dir"
	rm -rf "$work"
	copy_libraries "$dir"
}

main() {
	[ $# = 3 ] || [ $# = 4 ] || die "usage: sframe-victim.sh SUITE ARCH VARIANT [HOME]"
	local suite=$1 dir
	ARCH=$2 VARIANT=$3
	check_arch "$ARCH"
	case $VARIANT in plain | now | ibt) ;; *) die "no variant '$VARIANT': plain, now or ibt" ;; esac
	ROOT=$("$LAB_DIR/toolchain.sh" "$suite")
	dir=$(cache_dir)/sframe-victims/$suite-$ARCH-$VARIANT-$({ cat "$SOURCE" "${BASH_SOURCE[0]}"; in_root "$ROOT" / gcc --version; echo "$ROOT ${4:-}"; } | hash_of)
	HOME_DIR=${4:-$dir}
	lock sframe-victim
	if [ ! -d "$dir" ]; then
		mkdir -p "${dir%/*}"
		prune "${dir%/*}" 30
		rm -rf "$dir.tmp"
		mkdir "$dir.tmp"
		build "$dir.tmp"
		mv "$dir.tmp" "$dir"
	fi
	printf '%s\n' "$dir"
}

main "$@"
