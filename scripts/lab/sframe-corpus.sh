#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Makes ELF files with .sframe out of tests/sframe/sources with the toolchains of three Debian releases, each for both
# architectures and linked in every way that matters, with what that toolchain's readelf says of each; prints the folder.
#
# Usage: sframe-corpus.sh [SUITE]...        default: bookworm trixie sid
#        sframe-corpus.sh --set DIR         makes the small set that the repository has
# In the folder: VERSION-ARCH/FORM and VERSION-ARCH/FORM.txt; VERSION is binutils', as 2.44.
# FORM-stripped is FORM stripped.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

SOURCES=$REPO_DIR/tests/sframe/sources
COMPILE=('-Wa,--gsframe' -O2 -fPIC -ffunction-sections -fasynchronous-unwind-tables -fno-ident)
LINK=('-Wl,--build-id=none' '-Wl,--no-warn-execstack')

# --- one toolchain, one architecture -----------------------------------------------------------

# tool NAME ARGUMENT...: of ROOT, for ARCH, in the folder WORK.
tool() {
	local name=$1
	shift
	in_root "$ROOT" "$INNER" "$(triplet "$ARCH")-$name" "$@"
}

version() { tool as --version | sed -n '1s/.* \([0-9]*\.[0-9]*\).*/\1/p'; }

# objects SUFFIX FLAG...: code of C and C++.
objects() {
	local suffix=$1
	shift
	tool gcc "${COMPILE[@]}" "$@" -c -o "c$suffix.o" code.c
	tool g++ "${COMPILE[@]}" "$@" -c -o "cxx$suffix.o" code.cpp
}

compile_all() {
	objects ""
	tool g++ -O2 -fPIC -c -o cxx-without.o code.cpp
	tool as --gsframe -o asm.o "asm_$ARCH.s"
	tool as --gsframe --defsym LARGE=1 -o asm-large.o "asm_$ARCH.s"
	tool gcc -O2 -fPIC -shared -o liboutside.so outside.c
	tool gcc "${COMPILE[@]}" -c -o outside.o outside.c
}

# form NAME TOOL ARGUMENT...: links it, and keeps it with readelf's text, stripped and not.
form() {
	local name=$1 linker=$2
	shift 2
	tool "$linker" "$@" -o "$name"
	tool strip -o "$name-stripped" "$name"
	keep "$name"
	keep "$name-stripped"
}

keep() {
	install -m 644 "$WORK/$1" "$KEPT/$1"
	tool readelf --sframe "$1" >"$KEPT/$1.txt"
}

ALL_OBJECTS=(c.o cxx.o asm.o)

linked_forms() {
	local all=("${LINK[@]}" "${ALL_OBJECTS[@]}" ./liboutside.so)
	form lazy g++ "${all[@]}" -Wl,-z,lazy
	form now g++ "${all[@]}" -Wl,-z,now
	form no-pie g++ "${all[@]}" -no-pie -Wl,-z,lazy
	form shared g++ "${all[@]}" -shared -Wl,-z,lazy
	form one-segment g++ "${all[@]}" -Wl,-z,noseparate-code
	form gc g++ "${all[@]}" -Wl,--gc-sections
	form mixed g++ "${LINK[@]}" c.o cxx-without.o asm.o ./liboutside.so
	form static gcc "${LINK[@]}" -nostdlib -static c.o asm.o outside.o -Wl,-e,asm_start
	form large gcc "${LINK[@]}" -nostdlib -static asm-large.o outside.o -Wl,-e,asm_start
	case $ARCH in
	amd64) form ibt g++ "${all[@]}" -Wl,-z,lazy -Wl,-z,ibtplt ;;
	arm64) form pac g++ "${all[@]}" -Wl,-z,lazy -Wl,-z,pac-plt -Wl,-z,force-bti ;;
	esac
}

# Merged before they are linked.
relocatable_forms() {
	tool ld -r "${ALL_OBJECTS[@]}" -o merged.o
	form relocatable g++ "${LINK[@]}" merged.o ./liboutside.so
	tool ld -r asm.o -o asm-again.o
	form relocatable-asm gcc "${LINK[@]}" -nostdlib -static asm-again.o outside.o -Wl,-e,asm_start
}

# compiled NAME FLAG...: the same code under other flags of the compiler.
compiled() {
	local name=$1
	shift
	objects "-$name" "$@"
	form "$name" g++ "${LINK[@]}" -shared "c-$name.o" "cxx-$name.o" ./liboutside.so
}

compiled_forms() {
	compiled O0 -O0
	compiled Os -Os
	compiled frame-pointers -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
	compiled no-plt -O3 -fno-plt
	case $ARCH in
	amd64)
		compiled realigned -mstackrealign
		compiled cet -fcf-protection=full
		;;
	arm64)
		compiled pac -mbranch-protection=standard
		compiled pac-leaf -mbranch-protection=pac-ret+leaf
		compiled pac-b -mbranch-protection=pac-ret+b-key+leaf
		;;
	esac
}

# The repository's: nothing of the compiler's own library, no padding.
set_forms() {
	local small=("${LINK[@]}" -nostdlib -shared '-Wl,-z,noseparate-code' '-Wl,-z,max-page-size=4096' '-Wl,-z,lazy' -s)
	form asm gcc "${small[@]}" asm.o liboutside.so
	form c gcc "${small[@]}" c.o liboutside.so
	rm -f "$KEPT"/*-stripped*
}

# What the tools say is of interest only if one fails.
clean_up() {
	local status=$?
	[ -n "${WORK:-}" ] || return 0
	[ "$status" = 0 ] || tail -n 5 "$WORK/log" >&2
	rm -rf "$WORK"
}

# make_in FOLDER FORMS...: with ROOT and ARCH.
make_in() {
	local folder=$1 forms
	shift
	WORK=$(mktemp -d "${ROOT%/}/tmp/uwind-sframe.XXXXXX")
	INNER=/${WORK#"${ROOT%/}/"}
	cp "$SOURCES"/* "$WORK"
	KEPT=$folder/$(version)-$ARCH
	rm -rf "$KEPT"
	mkdir -p "$KEPT"
	for forms in compile_all "$@"; do "$forms" 2>>"$WORK/log"; done
	clean_up
}

# --- all of them -------------------------------------------------------------------------------

# make_all FOLDER SUITES FORMS...
make_all() {
	local folder=$1 suites=$2 suite
	shift 2
	for suite in $suites; do
		ROOT=$("$LAB_DIR/toolchain.sh" "$suite")
		for ARCH in amd64 arm64; do make_in "$folder" "$@"; done
	done
}

# What the corpus is made from: sources, this script, the toolchains.
identity() {
	local suite
	for suite in $1; do
		ROOT=$("$LAB_DIR/toolchain.sh" "$suite") || return
		in_root "$ROOT" / as --version
		in_root "$ROOT" / gcc --version
	done
	cat "$SOURCES"/* "${BASH_SOURCE[0]}"
}

main() {
	local suites dir
	need gcc aarch64-linux-gnu-gcc
	trap clean_up EXIT
	if [ "${1:-}" = --set ]; then
		[ $# = 2 ] || die "usage: sframe-corpus.sh --set DIR"
		make_all "$(realpath -m "$2")" "bookworm trixie sid" set_forms
		return
	fi
	suites=${*:-bookworm trixie sid}
	dir=$(identity "$suites" | hash_of)
	dir=$(cache_dir)/sframe-corpus/$dir
	lock sframe-corpus
	if [ ! -d "$dir" ]; then
		mkdir -p "${dir%/*}"
		prune "${dir%/*}" 30
		rm -rf "$dir.tmp"
		make_all "$dir.tmp" "$suites" linked_forms relocatable_forms compiled_forms
		mv "$dir.tmp" "$dir"
	fi
	printf '%s\n' "$dir"
}

main "$@"
