# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# With the windows of races held open: whichever part of the module fails to begin, nothing is left of those before it, and nobody
# had a device of it open; a walk never waits for whoever serves userfaultfd. A child inherits what it should, whatever another
# thread registers meanwhile, and can be frozen meanwhile; a processor without its counter is counted; rmmod with real-time priority lets the module's own work end.
# Expected: 50 s
# Needs: /root/stall/uwind.ko
. ./lib.sh

INIT=3 FAULT=5 SPACES_TAKEN=7 RANGES_SEEN=9 CHILD_BINDS=10 # as kmod/stall.h counts
COUNTER=100
MODULE_FILE=$DELAYED_MODULE

nothing_left() {
	! module_loaded || fail "part $part: the module is not there"
	for node in /dev/uwind /dev/uwind-self /sys/class/misc/uwind /sys/class/misc/uwind-self; do
		[ ! -e "$node" ] || fail "part $part: $node is gone"
	done
}

# Opens what it can and keeps it.
start_opener() {
	python3 -c '
import os, time
while True:
    try:
        kept = os.open("/dev/uwind-self", os.O_RDWR)
        print("opened", flush=True)
        time.sleep(3600)
    except OSError:
        pass' >opened &
	opener=$!
}

fail_each_part() {
	part=0
	while part=$((part + 1)) && ! insert fail_part=$part 2>refused; do
		grep -q 'annot allocate memory' refused || fail "part $part: it says why: $(cat refused)"
		nothing_left
	done
	[ $part -ge 10 ] || fail "each part can fail: the module was inserted with part $part failing"
	remove_module "with all parts"
}

fail_under_an_opener() {
	start_opener
	for _ in 1 2 3; do ! insert fail_part="$1" stall_point=$INIT stall_ms=50 2>/dev/null || fail "the last part fails"; done
	[ ! -s opened ] || fail "nobody had a device open"
	until_true "$PATIENCE" insert || fail "the module can be inserted after that"
	until_true "$PATIENCE" test -s opened || fail "its device can be opened then"
	kill $opener
	wait $opener 2>/dev/null
}

# stall POINT MS
stall() {
	echo "$1" >/sys/module/uwind/parameters/stall_point
	echo "$2" >/sys/module/uwind/parameters/stall_ms
}

walk_armed_stack() {
	stall $FAULT 50
	$PROGRAMS/armed_stack 40 >armed.txt &
	armed=$!
	: >asked.txt
	while ! gone $armed; do
		$PROGRAMS/ask_tasks 2000 $armed >>asked.txt 2>refused || gone $armed || fail "its stacks can be asked for: $(cat refused)"
	done
	wait $armed || fail "no walk waits for userfaultfd: $(cat armed.txt)"
	stall 0 5
	asked=$(awk '{ sum += $1 } END { print sum + 0 }' asked.txt)
	[ "$asked" -ge 100 ] || fail "its stacks were asked for while its memory was armed: $asked times"
	echo "$asked stacks were asked for: $(cat armed.txt)"
}

inherit() {
	stall $RANGES_SEEN 100
	$PROGRAMS/windows_check fork >fork.txt || fail "nothing is lost: $(cat fork.txt)"
	stall 0 5
	cat fork.txt
}

# The freezer has the flag of pending signals set, and no signal. Only that of the first version sets it once.
freeze_at_birth() {
	mkdir freezer
	mount -t cgroup -o freezer freezer freezer 2>/dev/null || { echo "no freezer of the first version here"; return; }
	mkdir freezer/born
	stall $CHILD_BINDS 1000
	$PROGRAMS/windows_check born >born.txt &
	born=$!
	until_true "$PATIENCE" test -s born.txt || fail "a child is born"
	for pid in $born $(cat born.txt); do echo "$pid" >freezer/born/cgroup.procs; done
	echo FROZEN >freezer/born/freezer.state
	until_true "$PATIENCE" grep -q FROZEN freezer/born/freezer.state || fail "who binds ranges at birth is frozen: $(cat freezer/born/freezer.state)"
	echo THAWED >freezer/born/freezer.state
	kill -KILL "$born" "$(cat born.txt)"
	wait "$born" 2>/dev/null
	stall 0 5
	until_true "$PATIENCE" rmdir freezer/born || fail "they go"
	umount freezer
}

# A processor that comes back without a counter is counted, and takes nobody along.
lose_a_counter() {
	begin lost -a -F 499
	echo 0 >/sys/devices/system/cpu/cpu1/online || fail "a processor can go"
	echo $COUNTER >/sys/module/uwind/parameters/fail_part
	echo 1 >/sys/devices/system/cpu/cpu1/online || fail "a processor can come without a counter"
	echo 0 >/sys/module/uwind/parameters/fail_part
	[ "$(status_of counters_failed)" = 1 ] || fail "a counter that fails is counted: $(status_of counters_failed)"
	taskset -c 0 $PROGRAMS/sframe_victim 2
	end lost $recorder samples:sframe_victim:20
	grep -q '"counters_failed": 1' lost.json || fail "the report says so: $(grep counters_failed lost.json)"
}

# On one processor: what sweeps, and rmmod, which never lets it run as long as it runs itself.
remove_under_a_sweep() {
	echo -1 >/proc/sys/kernel/sched_rt_runtime_us
	stall $SPACES_TAKEN 1000
	taskset -c 1 $PROGRAMS/windows_check end || fail "one registers, and ends"
	took=$(taskset -c 1 python3 "$CASES/remove_module.py") || fail "rmmod under a sweep"
	echo 950000 >/proc/sys/kernel/sched_rt_runtime_us
	echo "rmmod under a sweep took $took ms"
}

[ "$(cat /sys/module/uwind/refcnt)" = 0 ] || fail "nobody uses the module"
remove_module "before"
fail_each_part
fail_under_an_opener $((part - 1))
walk_armed_stack
inherit
freeze_at_birth
lose_a_counter
remove_under_a_sweep
