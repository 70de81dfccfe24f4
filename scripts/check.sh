#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tests: those of CTest, which counts them, and the longer ones in parts.
#
# Usage: check.sh all | check-vm | lint | bench | bench-vm ARCH KERNEL | vm ARCH KERNEL | long [PART] | matrix [PART] | build ARCH [KERNEL]
#        [RUNS=1] [RENEW=1] check.sh bench    RENEW: a new baseline, of three runs at least
#        [GROUP=…] [WORK=…] [HZ=…] [RENEW=1] check.sh bench-vm ARCH KERNEL    some groups, programs or rates
#        check.sh step NAME COMMAND...    one test of CTest (tests/suite.cmake), its output in out/check/NAME.log
#        check.sh list FUNCTION...        the words that CTest's tests are made from
# All of them are in out/check/junit.xml; out/check/verdict says which tests, of which commit, and how many passed. A part of long
# and matrix has a folder of its own there; its out/check/PART/results has a line for each step (steps.sh).
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=lab/common.sh
. scripts/lab/common.sh
# shellcheck disable=SC2034  # used by what is sourced
{
	OUT=$PWD/out/check
	JOBS=$(nproc)
	HOST=$(host_arch)
}

for file in steps parts build host kernels vm machines kept long matrix; do
	# shellcheck source=/dev/null
	. "scripts/check/$file.sh"
done

# lock_tree -s|-x: one check in a tree, or several parts of long ones. A second one would remove the first one's logs.
lock_tree() {
	mkdir -p out
	exec {TREE_LOCK}>>out/check.lock
	flock -n "$1" "$TREE_LOCK" || {
		echo "check.sh: another check runs in this tree: wait for it, or use another clone" >&2
		exit "$EX_LOST"
	}
}

# What CTest cannot do, as it needs it: the machine's packages, and the unit tests, whose files it asks for.
prepare_ctest() { # VERB
	step setup scripts/setup.sh
	[ "$1" = lint ] || begin_fetching "$1"
	step build-unit build_unit
	all_passed || finish
}

# One test more than there are processors: emulated machines wait, too.
run_ctest() { # PRESET
	ctest --preset "$1" -j $((JOBS + 1)) --test-output-truncation head --output-junit "$OUT/junit.xml" || true
	scripts/check/summary.py "$OUT/junit.xml" "$1" $SECONDS
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
		run_bench "${RUNS:-1}" "${RENEW:-}"
		return
		;;
	bench-vm)
		run_bench_vm "$1" "${2:-6.1}" "${RENEW:-}"
		return
		;;
	step)
		lone_step "$@"
		return
		;;
	list)
		"$@"
		return
		;;
	esac
	# The other parts' logs stay.
	case $verb in
	long | matrix) lock_tree -s ;;
	*) lock_tree -x && rm -rf "$OUT" ;;
	esac
	begin
	case $verb in
	all | check-vm | lint)
		prepare_ctest "$verb"
		run_ctest "${verb/#all/check}"
		return
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
