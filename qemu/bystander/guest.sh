#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# How long a bystander waits for mmap, fork and exec: alone, beside a process of many mappings that forks all the time, and
# while that one is sampled. Runs in a guest as root; a line of a table for each.
# Environment: SECONDS_EACH (6), MAPPINGS (30000)
set -eu
P=/root/programs
each=${SECONDS_EACH:-6}
number=${MAPPINGS:-30000}
sysctl -qw vm.max_map_count=262144

# line WHO: after a moment for those who begin.
line() {
	sleep 1
	printf '| %s | %s | %s\n' "$(uname -r)" "$1" "$($P/bystander "$each" | sed 's/   */ | /g')"
}

line alone
$P/bystander mapper "$number" 100000 &
line "beside $number mappings"
uwind record -v -a -F 999 -o /tmp/bystander.json --duration 100000 >/tmp/bystander.log 2>&1 &
recorder=$!
for _ in $(seq 60); do
	! grep -q 'sampling has begun' /tmp/bystander.log || break
	sleep 0.5
done
sleep 1
line "beside $number mappings, sampled"
kill -TERM $recorder
wait $recorder || { cat /tmp/bystander.log; exit 1; }
tail -n 1 /tmp/bystander.log
