# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Return probes replace return addresses by a trampoline's, and probed instructions run elsewhere: what is true is shown.
# Expected: 15 s
# Needs: /sys/kernel/tracing/uprobe_events
. ./lib.sh

# A program's address is its file offset here: its first segment begins at 0, and what is linked next keeps pages apart.
probe() { # NAME FUNCTION
	address=$(nm "$PROGRAMS/sframe_victim" | awk -v name="$2" '$3 == name { print $1 }')
	[ -n "$address" ] || fail "$2 is in sframe_victim"
	echo "r:uwind/$1 $PROGRAMS/sframe_victim:0x$address" >>/sys/kernel/tracing/uprobe_events || fail "a probe of $2"
}

calls() { awk '$2 == "deep" { n = $3 } END { print n + 0 }' /sys/kernel/tracing/uprobe_profile; }

probe deep work_recurse
probe above outer
echo 1 >/sys/kernel/tracing/events/uwind/enable
before=$(calls)
"$PROGRAMS/sframe_victim" 600 &
victim=$!
until_true 30 grep -q libc.so.6 /proc/$victim/maps || fail "a probed program starts"
kill -STOP $victim # until its tables are there
begin probed -F 499 -p $victim
until_true 60 has_tables sframe_victim libc.so.6 || fail "its tables are there: $(cat list.txt)"
kill -CONT $victim
until_true 120 asked $(($(status_of requested) + 500)) || fail "samples are taken: $(uwind status)"
end probed $recorder samples:sframe_victim:100 complete:sframe_victim:98 bottom:sframe_victim \
	chain:sframe_victim:work_recurse:outer chain:sframe_victim:outer:main
kill -KILL $victim
echo 0 >/sys/kernel/tracing/events/uwind/enable
[ "$(calls)" -gt "$before" ] || fail "the probes were hit: $before, $(calls)"
echo >/sys/kernel/tracing/uprobe_events
