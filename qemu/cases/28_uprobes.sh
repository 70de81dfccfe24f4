# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Return probes replace return addresses by a trampoline's, probed instructions run elsewhere, or a call takes their place: what
# is true is shown.
# Expected: 25 s
# Needs: /sys/kernel/tracing/uprobe_events
. ./lib.sh

# A program's address is its file offset here: its first segment begins at 0, and what is linked next keeps pages apart.
probe() { # KIND NAME PROGRAM FUNCTION
	address=$(nm "$PROGRAMS/$3" | awk -v name="$4" '$3 == name { print $1 }')
	[ -n "$address" ] || fail "$4 is in $3"
	echo "$1:uwind/$2 $PROGRAMS/$3:0x$address" >>/sys/kernel/tracing/uprobe_events || fail "a probe of $4"
}

calls() { awk -v name="$1" '$2 == name { n = $3 } END { print n + 0 }' /sys/kernel/tracing/uprobe_profile; }

# Until 7, x86's kernels put no probe on an instruction with the prefix that a no-operation of ten bytes has.
cannot() { [ "$1" = entered ] && [ "$(uname -m)" = x86_64 ] && [ "$(uname -r | cut -d. -f1)" -lt 7 ]; }

# record_probed PROGRAM PROBE RULE...: it is recorded from where its tables are there, and meets the probe meanwhile.
record_probed() {
	program=$1 probe=$2
	shift 2
	before=$(calls "$probe")
	"$PROGRAMS/$program" 600 &
	victim=$!
	until_true 30 grep -q libc.so.6 /proc/$victim/maps || fail "$program starts"
	kill -STOP $victim
	begin "$program" -F 499 -p $victim
	until_true 60 has_tables "$program" libc.so.6 || fail "its tables are there: $(cat list.txt)"
	kill -CONT $victim
	until_true 120 asked $(($(status_of requested) + 500)) || fail "samples are taken: $(uwind status)"
	end "$program" $recorder "samples:$program:100" "complete:$program:98" "bottom:$program" "$@"
	kill -KILL $victim
	cannot "$probe" || [ "$(calls "$probe")" -gt "$before" ] || fail "$probe was hit: $before, $(calls "$probe")"
}

probe r deep sframe_victim work_recurse
probe r above sframe_victim outer
probe p entered probed_victim traced
echo 1 >/sys/kernel/tracing/events/uwind/enable
record_probed sframe_victim deep chain:sframe_victim:work_recurse:outer chain:sframe_victim:outer:main
record_probed probed_victim entered chain:probed_victim:traced:call_traced chain:probed_victim:call_traced:main
echo 0 >/sys/kernel/tracing/events/uwind/enable
echo >/sys/kernel/tracing/uprobe_events
