#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the matrix's program for one ABI in all its variants, or in some: OUT/ABI,COMPILER,OPTIONS,SET,TABLES each, and
# beside it OUT/….main, the address of its main().
#
# Usage: build.sh ABI OUT [PATTERN]       ABI: amd64 | i386 | arm64 | arm      PATTERN: of the names, as in i386,gcc,O2,*
#   OPTIONS  O0, O2, O2fp (with frame pointers), Os, O3 (of gcc with -flto)
#   SET      -, or of arm thumb | a32
#   TABLES   cfi; none: built without tables and stripped (O2fp)
# What each compiler has made is linked by g++ of the ABI.
set -euo pipefail

ABI=$1 OUT=$(realpath -m "$2") PATTERN=${3:-*}
cd "$(dirname "$0")"

# Headers of the kernel lie beside those of amd64.
gnu() {
	case $ABI in
	amd64) echo "$1" ;;
	i386) echo "$1 -m32 -idirafter /usr/include/x86_64-linux-gnu" ;;
	arm64) echo "aarch64-linux-gnu-$1" ;;
	arm) echo "arm-linux-gnueabihf-$1" ;;
	esac
}

clang() {
	case $ABI in
	amd64) echo "$1-14" ;;
	i386) echo "$1-14 -m32 -idirafter /usr/include/x86_64-linux-gnu" ;;
	arm64) echo "$1-14 --target=aarch64-linux-gnu" ;;
	arm) echo "$1-14 --target=arm-linux-gnueabihf" ;;
	esac
}

options() { # COMPILER OPTIONS SET TABLES
	case $2 in
	O0 | O2 | Os) echo "-$2" ;;
	O2fp) echo -O2 -fno-omit-frame-pointer ;;
	O3) if [ "$1" = gcc ]; then echo -O3 -flto; else echo -O3; fi ;;
	esac
	case $2 in O0 | O2fp) ;; *) echo -fomit-frame-pointer ;; esac
	case $3 in thumb) echo -mthumb ;; a32) echo -marm ;; esac
	if [ "$4" = none ]; then echo -DWITHOUT_TABLES -fno-asynchronous-unwind-tables -fno-unwind-tables; fi
}

# 32-bit Arm has tables only where they are asked for.
tables() { if [ "$ABI,$1" = arm,cfi ]; then echo -funwind-tables; fi; }

# build COMPILER OPTIONS SET TABLES
build() {
	local name=$ABI,$1,$2,$3,$4 c cxx flags work
	# shellcheck disable=SC2053  # a pattern
	[[ $name == $PATTERN ]] || return 0
	case $1 in
	gcc) c=$(gnu gcc) cxx=$(gnu g++) ;;
	clang) c=$(clang clang) cxx=$(clang clang++) ;;
	esac
	flags="$(options "$@" | xargs) $(tables "$4") -D_GNU_SOURCE -fPIE"
	work=$(mktemp -d)
	# shellcheck disable=SC2086  # words
	{
		$c $flags -std=gnu11 -c -o "$work/turn.o" turn.c
		if [ "$4" != none ]; then $cxx $flags -c -o "$work/thrown.o" thrown.cpp; fi
		$(gnu g++) $flags -pie -Wl,-z,lazy -o "$OUT/$name" "$work"/*.o
	}
	rm -rf "$work"
	$(gnu nm | cut -d' ' -f1) "$OUT/$name" | awk '$3 == "main" { print "0x" $1 }' >"$OUT/$name.main"
	if [ "$4" = none ]; then $(gnu strip | cut -d' ' -f1) "$OUT/$name"; fi
}

main() {
	local compiler options set sets=-
	if [ "$ABI" = arm ]; then sets='thumb a32'; fi
	mkdir -p "$OUT"
	for compiler in gcc clang; do
		for set in $sets; do
			for options in O0 O2 O2fp Os O3; do build $compiler $options "$set" cfi; done
			build $compiler O2fp "$set" none
		done
	done
}

main
