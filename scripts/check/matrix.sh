# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# The module on every kernel, in named parts. Sourced by check.sh.

kernels_of() { # ARCH: the module compiles for these
	echo "$STOCK_KERNELS" 6.1-rt 6.12-rt 7.2-rt
	if [ "$1" = arm64 ]; then echo 6.12-16k 7.2-16k; fi
}

booted_of() { # ARCH: these run every case in one boot, as the stock kernels do in make check-vm
	case $1 in
	amd64) echo 6.1-rt ;;
	arm64) echo 6.12-16k ;;
	esac
}

# A kernel that checks each access is slow: its cases are in groups of at most twenty minutes, and each looks for leaks at
# its end. The demo says nothing new there.
DEBUG_GROUPS='tables lives trouble users memory storm requests'

debug_cases() { # GROUP
	case $1 in
	tables) echo 10_register 20_sample 21_targets 22_jit 23_deep 25_names 26_doctor 27_compat 30_fork 31_exec 32_dlopen 34_stopped 40_self 50_ioctl 95_leaks ;;
	lives) echo 35_lives 95_leaks ;;
	trouble) echo 36_trouble 95_leaks ;;
	users) echo 51_attack 52_strangers 53_members 54_counters 95_leaks ;;
	storm) echo 28_uprobes 29_stacks 56_storm 95_leaks ;;
	requests) echo 24_corrupt_table 33_exit 57_requests 58_bpf 59_sessions 66_call_sites 66_function_costs 66_function_names 66_functions 95_leaks ;;
	memory) echo 54_no_memory 60_unload 70_daemon 71_service 80_status 95_leaks ;;
	esac
}

# Every part that runs in a machine of that architecture.
vm_parts() { # ARCH
	local kernel group
	for kernel in $(booted_of "$1"); do echo "vm-$1-$kernel"; done
	for group in $DEBUG_GROUPS; do echo "vm-$1-6.1-debug-$group"; done
}

matrix_part_names() {
	printf '%s\n' build-amd64 build-arm64
	vm_parts amd64
	vm_parts arm64
}

# From nothing, with the compiler's extra warnings and sparse: neither says a word. Debian's headers of 7.2 lack the script
# that looks whether there is a sparse, and then go on without: KBUILD_CHECKSRC insists.
build_clean() { # ARCH KERNEL
	local dir=build/$1/clean-$2
	rm -rf "$dir"
	scripts/lab/build-kmod.sh "$1" "$2" "$dir" C=2 KBUILD_CHECKSRC=2 2>&1 | tee "$OUT/clean"
	[ -e "$dir/uwind.ko" ] && [ -e "$dir/uwind_resident1.ko" ] && grep -q '^  CHECK ' "$OUT/clean" && ! grep -nE 'warning:|error:' "$OUT/clean"
}

matrix_build() { # ARCH
	local kernel
	for kernel in $(kernels_of "$1"); do step "clean-$1-$kernel" build_clean "$1" "$kernel"; done
}

matrix_vm() { # ARCH KERNEL [VARIABLE=VALUE]...
	FOR_GUEST=$(perf_machine_of "$1" "$2") vm_part "$1" "$2" "${CASE:-}" CYCLES=3 RMMOD_LIMIT_MS="${RMMOD_LIMIT_MS:-20000}" "${@:3}"
}

matrix_debug() { # ARCH GROUP
	if [ "$2" = memory ]; then step "complaints-$1" scripts/check-complaints.sh "$1"; fi
	CASE=${CASE:-$(debug_cases "$2")} matrix_vm "$1" 6.1-debug CALLS=5000
}

# vm-ARCH-KERNEL[-GROUP]
matrix_machine() { # PART
	local arch=${1#vm-}
	arch=${arch%%-*}
	case $1 in
	*-debug-*) part "$1" matrix_debug "$arch" "${1##*-}" ;;
	*) part "$1" matrix_vm "$arch" "${1#vm-"$arch"-}" ;;
	esac
}

# Two machines side by side, one of each architecture, until each has been through its kernels.
matrix_all() {
	local arch name
	for arch in amd64 arm64; do part "build-$arch" matrix_build "$arch"; done
	for arch in amd64 arm64; do
		for name in $(vm_parts "$arch"); do matrix_machine "$name"; done &
	done
	wait
	matrix_table
}

# A line of the table, as far as its parts have passed with the present contents.
matrix_row() { # ARCH KERNEL [PART]
	local part=${3:-vm-$1-$2} clean=- cases=- boot=- seconds=- reports=- release results
	release=$(cat "$(cache_dir)/kernels/$1/$2/release" 2>/dev/null) || {
		printf '| %s | not in the cache | - | - | - | - | - |\n' "${part#vm-}"
		return
	}
	if grep -qs "^ok clean-$1-$2 " "$(kept "build-$1")/results"; then clean=yes; fi
	results=$(kept "$part")/results
	if [ -e "$results" ]; then
		cases=$(grep -c "^ok $1-$2-[1-9]" "$results") reports=0
		boot=$(sed -n "s/^ok $1-$2-00_boot //p" "$results")
		seconds=$(sed -n "s/^ok vm-$1-$2 //p" "$results")
	fi
	printf '| %s | %s | %s | %s | %s | %s | %s |\n' "${part#vm-}" "$release" "$clean" "$cases" "$boot" "$seconds" "$reports"
}

matrix_table() {
	local arch kernel name
	echo '| target | kernel | builds clean | cases passed | seconds to boot | to boot and run | reports of the kernel |'
	echo '|---|---|---|---|---|---|---|'
	for arch in amd64 arm64; do
		for kernel in $(kernels_of "$arch"); do matrix_row "$arch" "$kernel"; done
		for name in $(vm_parts "$arch" | grep -- '-debug-'); do matrix_row "$arch" 6.1-debug "$name"; done
	done
}

check_matrix() { # [PART]
	local name=${1:-all} all
	case $name in
	all) matrix_all ;;
	table) matrix_table && exit ;;
	build-amd64 | build-arm64) part "$name" matrix_build "${name#build-}" ;;
	*)
		all=$(matrix_part_names)
		if ! grep -qxF "$name" <<<"$all"; then
			echo "check.sh: no part '$name' of the matrix: table ${all//$'\n'/ }" >&2
			exit 64
		fi
		matrix_machine "$name"
		;;
	esac
}
