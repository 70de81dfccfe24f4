# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# The module that fires triggers (tests/kmod), and programs for it to hit. Sourced after lib.sh.

STRESS_MODULE=/root/uwind_stress.ko
# shellcheck disable=SC2034  # used by the cases
ACCOUNT=/sys/kernel/debug/uwind_stress

start_stress() { insmod $STRESS_MODULE "$@" || fail "insmod $STRESS_MODULE $*"; }

# start_victims PROGRAM...: programs that run, and one that enters the kernel and leaves it all the time. victims: their processes.
start_victims() {
	victims=
	for program; do
		nice "$PROGRAMS/$program" 3600 &
		victims="$victims $!"
	done
	nice dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
	victims="$victims $!"
}
