# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# With the windows of races held open: whichever part of the module fails to begin, nothing is left of those before it, and nobody
# had a device of it open; a walk never waits for whoever serves userfaultfd.
# Expected: 25 s
# Needs: /root/stall/uwind.ko
. ./lib.sh

INIT=3 FAULT=5 # as kmod/stall.h counts
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
	until_true 10 insert || fail "the module can be inserted after that"
	until_true 60 test -s opened || fail "its device can be opened then"
	kill $opener
	wait $opener 2>/dev/null
}

walk_armed_stack() {
	echo $FAULT >/sys/module/uwind/parameters/stall_point
	echo 50 >/sys/module/uwind/parameters/stall_ms
	$PROGRAMS/armed_stack 40 >armed.txt &
	armed=$!
	while kill -0 $armed 2>/dev/null; do $PROGRAMS/ask_tasks 2000 $armed >>asked.txt; done
	wait $armed || fail "no walk waits for userfaultfd: $(cat armed.txt)"
	echo 0 >/sys/module/uwind/parameters/stall_point
	echo "$(awk '{ sum += $1 } END { print sum }' asked.txt) walks: $(cat armed.txt)"
}

[ "$(cat /sys/module/uwind/refcnt)" = 0 ] || fail "nobody uses the module"
remove_module "before"
fail_each_part
fail_under_an_opener $((part - 1))
walk_armed_stack
remove_module "after that"
