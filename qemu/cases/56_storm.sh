# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# While everything runs, one in ten of the module's allocations fails: recordings and the service live through it or say why
# not, each request has its answer or its loss, and afterwards all works as before. x86's kernel cannot tell who allocates by
# the stack (FAULT_INJECTION_STACKTRACE_FILTER), so that nothing fails there.
# Expected: 300 s
# Needs: /sys/kernel/debug/failslab
. ./lib.sh
. "$CASES/faults.sh"

MANY=1000000

failures() {
	sum=0
	for kind in failslab fail_page_alloc; do sum=$((sum + MANY - $(cat "/sys/kernel/debug/$kind/times"))); done
	echo $sum
}

have_failed() { [ "$(failures)" -ge "$1" ]; }

can_fail() { [ -e /sys/kernel/debug/failslab/require-start ]; }

# By what stands on the kernel's stack.
only_the_module() {
	can_fail || return 0
	start=$(cat /sys/module/uwind/sections/.text)
	bytes=$(sed -n 's/^uwind \([0-9]*\) .*/\1/p' /proc/modules)
	fault require-start "$start"
	fault require-end "$(python3 -c "print(hex($start + $bytes))")" # more than the shell counts to
	fault stacktrace-depth 32
	fault times $MANY
	fault interval 1
}

storm() { # PERCENT
	can_fail || return 0
	for kind in failslab fail_page_alloc; do echo "$1" >/sys/kernel/debug/$kind/probability; done
}

trap 'storm 0; clean_up' EXIT

# ended NAME PROCESS SECONDS: or where its threads wait, in the kernel.
ended() {
	until_true "$3" has_ended "$2" && return
	for thread in /proc/"$2"/task/*; do
		echo "$1: $(cat "$thread/comm" "$thread/syscall")"
		cat "$thread/stack"
	done
	fail "$1 ends within $3 s"
}

# A child that has not been waited for is still there.
has_ended() { ! grep -q '^State:[^Z]*$' "/proc/$1/status"; }

says_why() { grep -qiE 'memory|buffer|bad address' "$1"; }

works "before"
prepare_faults
only_the_module
# It lives on, and what there was no memory for then must not be missing later.
nice -n 19 $PROGRAMS/threads_victim 3600 &
survivor=$!
begin through -a -F 199
through=$recorder
storm 10
# They leave the processors to those that the case waits for.
victims=
for victim in fork_victim exec_victim threads_victim 'self_register work' short_lived dlopen_victim; do
	# shellcheck disable=SC2086  # a program and its arguments
	nice -n 19 $PROGRAMS/$victim 3600 >/dev/null 2>&1 &
	victims="$victims $!"
done
uwindd --interval 1 --dir "$WORK/reports" >daemon.log 2>&1 &
daemon=$!
recorded=0 refused=0
for round in 1 2 3 4; do
	if uwind record -a -F 199 --duration 3 -o storm.json >storm.log 2>&1; then
		rules storm.json schema balance
		recorded=$((recorded + 1))
	else
		says_why storm.log || fail "a recording that fails says why: $(cat storm.log)"
		refused=$((refused + 1))
	fi
	echo "recording $round, at $(cut -d. -f1 /proc/uptime) s: $(tail -n 1 storm.log)"
done
! can_fail || until_true 60 have_failed 200 || fail "allocations failed: $(failures)"
echo "failures: $(! can_fail || failures), at $(cut -d. -f1 /proc/uptime) s"
kill -TERM $daemon 2>/dev/null || true
ended "the service" $daemon 100
wait $daemon || says_why daemon.log || fail "a service that ends says why: $(cat daemon.log)"
storm 0
kill -TERM $through
ended "the recording" $through 100
wait $through || fail "a recording lives through it: $(cat through.log)"
rules through.json schema balance
# shellcheck disable=SC2086  # process numbers
kill -KILL $victims 2>/dev/null || true
# shellcheck disable=SC2086
wait $victims 2>/dev/null || true
echo "recordings: $recorded, refused: $refused; through it: $(tail -n 1 through.log)"

works "after the storm"
want "who lived through it is recorded" uwind record -F 199 -p $survivor --duration 5 -o survivor.json
kill $survivor
rules survivor.json schema balance samples:threads_victim:100 complete:threads_victim:90 chain:threads_victim:work_recurse:thread_work
until_true 20 no_tables || fail "nobody leaves tables: $(uwind list)"
remove_module "after the storm"
insert_module
works "with the module anew"
