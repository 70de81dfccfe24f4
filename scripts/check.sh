#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds and runs the tests as named steps: one line per test with its seconds, then "N passed, N failed".
#
# Usage: check.sh all | lint | bench | vm ARCH KERNEL | long [PART] | matrix [PART] | build ARCH [KERNEL]
# Each step's output is in out/check/NAME.log; out/check/results has one line "ok|FAIL NAME SECONDS" per test.
# A part of long and matrix has a folder of its own there.
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=lab/common.sh
. scripts/lab/common.sh
# shellcheck disable=SC2034  # used by what is sourced
{
	OUT=$PWD/out/check
	FUZZ_SECONDS=${FUZZ_SECONDS:-10}
	JOBS=$(nproc)
	HOST=$(host_arch)
}

for file in steps parts build host vm long matrix; do
	# shellcheck source=/dev/null
	. "scripts/check/$file.sh"
done

# Everything is built first, since compiling and emulated machines would slow each other down;
# then the two machines run next to the host's tests.
check_all() {
	local arch
	step setup scripts/setup.sh
	# shellcheck disable=SC2046  # one word each
	for arch in amd64 arm64; do build_for_vm "$arch" $(kernels_at_hand "$arch"); done
	step build-unit build_unit
	step build-fuzz build_fuzz
	for arch in amd64 arm64; do
		if built_for_vm "$arch" 6.1; then vm_check "$arch" & fi
	done
	(host_tests)
	wait
}

main() {
	local verb=${1:-all}
	shift || true
	case $verb in
	build)
		build_programs "$1"
		build_kmod "$1" "${2:-6.1}"
		build_tools "$1"
		return
		;;
	bench)
		run_bench
		return
		;;
	esac
	# The other parts' logs stay.
	case $verb in long | matrix) ;; *) rm -rf "$OUT" ;; esac
	begin
	case $verb in
	all) check_all ;;
	lint)
		lint_steps
		step tidy lint_tidy
		;;
	vm) vm_part "$1" "${2:-6.1}" "${CASE:-}" CYCLES="${CYCLES:-10}" RMMOD_LIMIT_MS="${RMMOD_LIMIT_MS:-1000}" ;;
	long) check_long "$@" ;;
	matrix) check_matrix "$@" ;;
	*)
		echo "check.sh: no verb '$verb'" >&2
		exit 64
		;;
	esac
	finish
}

main "$@"
