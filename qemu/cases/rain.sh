# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# The module that rains (tests/kmod): where it is, whom it hits, and that it goes before uwind does. Sourced after lib.sh.

RAIN_MODULE=/root/uwind_rain.ko
# shellcheck disable=SC2034  # used by the cases
ACCOUNT=/sys/kernel/debug/uwind_rain

stop_rain() {
	kill_children
	rmmod uwind_rain 2>/dev/null || true
	clean_up
}
trap stop_rain EXIT

let_rain() { insmod $RAIN_MODULE "$@" || fail "insmod $RAIN_MODULE $*"; }

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
