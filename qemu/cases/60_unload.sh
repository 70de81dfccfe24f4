# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# The module is inserted, used under load and removed, while tasks sleep in the kernel with requests open; they wake unharmed.
# Expected: 60 s for 10 cycles; CYCLES=100 is the long version
. ./lib.sh

# Milliseconds that rmmod took, its own start included.
timed_rmmod() {
	python3 "$CASES/remove_module.py" || fail "rmmod in cycle $cycle"
}

one_cycle() {
	insert_module
	nice $PROGRAMS/threads_victim 600 &
	load=$!
	begin unload -a -F 4999
	$PROGRAMS/sleeper 6 >slept &
	sleepers=$!
	sleep 1
	kill -TERM $recorder
	wait $recorder || fail "record in cycle $cycle: $(cat unload.log)"
	case $(cat unload.log) in *pending*) held=$((held + 1)) ;; esac
	took=$(timed_rmmod)
	[ "$took" -lt "${RMMOD_LIMIT_MS:-1000}" ] || slow=$((slow + 1))
	kill -USR1 $sleepers
	wait $sleepers || fail "the sleepers woke unharmed in cycle $cycle"
	[ "$(cat slept)" = awake ] || fail "the sleepers woke unharmed in cycle $cycle"
	kill $load
	wait $load 2>/dev/null
	[ "$took" -le "$longest" ] || longest=$took
}

longest=0 cycle=0 slow=0 held=0
while [ $cycle -lt "${CYCLES:-10}" ]; do
	cycle=$((cycle + 1))
	one_cycle
done
echo "cycles: $cycle, with requests held by sleeping tasks: $held, longest rmmod: $longest ms"
[ $held != 0 ] || [ $cycle -lt 10 ] || fail "sleeping tasks hold requests" # chance: not in each cycle
insert_module
[ $slow = 0 ] || fail "rmmod took ${RMMOD_LIMIT_MS:-1000} ms or more in $slow cycles"
