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
want "a probed program is recorded" uwind record -F 499 -o probed.json -- "$PROGRAMS/sframe_victim" 6
echo 0 >/sys/kernel/tracing/events/uwind/enable
[ "$(calls)" -gt "$before" ] || fail "the probes were hit: $before, $(calls)"
echo >/sys/kernel/tracing/uprobe_events
rules probed.json schema balance samples:sframe_victim:100 complete:sframe_victim:98 bottom:sframe_victim \
	chain:sframe_victim:work_recurse:outer chain:sframe_victim:outer:main
