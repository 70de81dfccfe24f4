# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Building, for this machine and for guests. Sourced by check.sh.

# Clones in other folders share what is compiled. What a file includes is told as it is compiled, not by a preprocessor before.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1

configure() { # PRESET DIR [FLAG]...
	if command -v ccache >/dev/null; then
		set -- "$@" -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
	fi
	cmake --preset "$1" -B "$2" "${@:3}"
}

build_programs() { # ARCH
	local prefix=
	if [ "$1" != "$HOST" ]; then
		case $1 in amd64) prefix=x86_64-linux-gnu- ;; arm64) prefix=aarch64-linux-gnu- ;; esac
	fi
	make -C tests/programs --no-print-directory -j"$JOBS" CC="${prefix}gcc" CXX="${prefix}g++" LAUNCHER="$(command -v ccache)" \
		OUT="$PWD/build/$1/programs"
}

# A build folder keeps the sysroot that it was made with, whatever it is told later.
forget_other_sysroot() { # DIR SYSROOT
	[ ! -e "$1/CMakeCache.txt" ] || grep -qxF "UWIND_SYSROOT:PATH=$2" "$1/CMakeCache.txt" || rm -rf "$1/CMakeCache.txt" "$1/CMakeFiles"
}

# Functions and lines are enough for guests' programs: to compile them with all that -g says takes a third longer.
GUEST_FLAGS='-O2 -g1 -DNDEBUG'

# configure_for ARCH [FLAG]...: native or cross.
configure_for() {
	set -- "$@" -DCMAKE_C_FLAGS_RELWITHDEBINFO="$GUEST_FLAGS" -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="$GUEST_FLAGS"
	if [ "$1" = "$HOST" ]; then
		configure release "build/$1" "${@:2}"
	else
		forget_other_sysroot "build/$1" "$(scripts/lab/sysroot.sh "$1")"
		configure "$1" "build/$1" "${@:2}"
	fi
}

build_tools() { # ARCH
	configure_for "$1"
	ninja -C "build/$1" uwind uwindd
}

build_truth() { # ARCH
	configure_for "$1" -DUWIND_TRUTH=ON -DUWIND_BPF=ON
	ninja -C "build/$1" truth_step truth_matrix truth_walk truth_kernel bpf_cookies
}

# The module that asks for stacks in every context.
build_test_kmod() { UWIND_KMOD=tests/kmod scripts/lab/build-kmod.sh "$1" "$2" "build/$1/test-kmod-$2"; } # ARCH KERNEL

build_kmod() { scripts/lab/build-kmod.sh "$1" "$2" "build/$1/kmod-$2"; } # ARCH KERNEL

# The same with delays at named points (kmod/stall.h).
build_stall_kmod() { scripts/lab/build-kmod.sh "$1" "$2" "build/$1/stall-kmod-$2" UWIND_STALL=1; } # ARCH KERNEL

# It gives way to fetching beside it, which takes longer and for which modules wait.
build_unit() {
	configure check build/check
	nice -n 10 ninja -C build/check unit_tests uwind uwindd
}

build_bench() {
	configure bench build/bench
	ninja -C build/bench bench_walk bench_lower bench_lookup
}

fuzz_targets() { find tests/fuzz -name 'fuzz_*.cpp' -printf '%f\n' 2>/dev/null | sed 's/\.cpp$//' | sort; }

build_fuzz() {
	local targets
	mapfile -t targets < <(fuzz_targets)
	configure check build/check
	ninja -C build/check "${targets[@]}"
}
