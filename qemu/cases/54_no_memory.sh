# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# The module's allocations fail: each in turn, call by call, then many at once while everything runs. Each failure has an errno
# or a cause, nothing is left behind, and afterwards all works as before.
# Expected: 300 s
# Needs: /sys/kernel/debug/failslab
. ./lib.sh

KINDS="failslab fail_page_alloc fail_usercopy"
MANY=1000000

# fault KEY VALUE: of every kind of failure that has such a key.
fault() {
	for kind in $KINDS; do
		[ ! -e "/sys/kernel/debug/$kind/$1" ] || echo "$2" >"/sys/kernel/debug/$kind/$1" || fail "$kind/$1 = $2"
	done
}

failures() {
	sum=0
	for kind in $KINDS; do sum=$((sum + MANY - $(cat "/sys/kernel/debug/$kind/times"))); done
	echo $sum
}

# Where the kernel can tell whose allocation it is, only what the module asks for fails.
can_filter() { [ -e /sys/kernel/debug/failslab/require-start ]; }

only_the_module() {
	start=$(cat /sys/module/uwind/sections/.text)
	bytes=$(sed -n 's/^uwind \([0-9]*\) .*/\1/p' /proc/modules)
	fault require-start "$start"
	fault require-end "$(python3 -c "print(hex($start + $bytes))")" # more than the shell counts to
	fault stacktrace-depth 32
}

# Without a word: each failure would be traced on the console.
prepare_faults() {
	fault verbose 0
	fault min-order 0
	fault ignore-gfp-highmem N
	fault ignore-gfp-wait N
	fault times $MANY
	fault interval 1
	if can_filter; then only_the_module; fi
}

# Elsewhere those tasks' allocations fail that begin with this, and only where no kernel code may count on success:
# a task that gets no page for itself is not ours to save.
start_storm() {
	can_filter || {
		fault ignore-gfp-wait Y
		fault task-filter Y
	}
	for kind in failslab fail_page_alloc; do echo "${PROBABILITY:-20}" >/sys/kernel/debug/$kind/probability; done
}

end_storm() {
	fault probability 0
	fault task-filter N
}

trap 'end_storm; clean_up' EXIT

# In the background; $! is the program.
failing() {
	echo 1 >/proc/self/make-it-fail
	exec "$@"
}

balanced() {
	uwind status >status.txt || fail "uwind status"
	awk '$1 == "requested" { asked = $2 } $1 == "answered" || $1 ~ /^lost\./ { had += $2 } END { exit asked != had }' status.txt
}

works() { # WHEN
	want "$1, a command is recorded" uwind record -F 499 -o works.json -- $PROGRAMS/sframe_victim 4
	rules works.json schema balance samples:sframe_victim:100 complete:sframe_victim:90 chain:sframe_victim:work_recurse:main
	until_true 20 balanced || fail "$1, requested = answered + lost: $(cat status.txt)"
}

# A recording that could not begin says why; one that could has a report whose numbers are right.
record_in_storm() {
	if (failing uwind record -a -F 1999 --duration 5 -o storm.json) >storm.log 2>&1; then
		rules storm.json schema balance
		recorded=$((recorded + 1))
	else
		grep -qiE 'memory|buffer|bad address' storm.log || fail "a recording that fails says why: $(cat storm.log)"
		refused=$((refused + 1))
	fi
}

works "before"
prepare_faults
want "each allocation may fail" $PROGRAMS/no_memory
works "after single failures"

# It lives on, and what there was no memory for then must not be missing later.
failing $PROGRAMS/threads_victim 3600 &
survivor=$!
recorded=0 refused=0 before=$(failures)
start_storm
for round in 1 2 3 4 5 6; do
	victims=
	for victim in fork_victim exec_victim threads_victim 'self_register work' short_lived 'dlopen_victim 8 1'; do
		# shellcheck disable=SC2086  # a program and its arguments
		(failing $PROGRAMS/$victim 8) >/dev/null 2>&1 &
		victims="$victims $!"
	done
	(failing uwindd --interval 1 --dir "$WORK/reports") >daemon.log 2>&1 &
	daemon=$!
	record_in_storm
	kill -TERM $daemon 2>/dev/null
	wait $daemon || grep -qiE 'memory|buffer|bad address' daemon.log || fail "a service that ends says why: $(cat daemon.log)"
	# shellcheck disable=SC2086  # process numbers
	kill -KILL $victims 2>/dev/null
	# shellcheck disable=SC2086
	wait $victims 2>/dev/null
	echo "round $round: $(tail -n 1 storm.log)"
done
end_storm
echo "failures in the storm: $(($(failures) - before)), recordings: $recorded, refused: $refused"
[ $(($(failures) - before)) -gt 200 ] || fail "allocations failed"
grep '^lost' status.txt
works "after the storm"
want "who lived through it is recorded" uwind record -F 199 -p $survivor --duration 5 -o survivor.json
kill $survivor
rules survivor.json schema balance samples:threads_victim:100 complete:threads_victim:90 chain:threads_victim:work_recurse:thread_work
until_true 10 [ "$(status_of tables)" = 0 ] || fail "nobody leaves tables: $(uwind list)"
remove_module "after the storm"
insert_module
works "with the module anew"
