# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A counter that a user has given up stays charged to the user until the kernel has freed it: while it frees nothing, there are no
# more of them than that user may have; then there are again.
# Expected: 45 s
. ./lib.sh

ANN=61001
COUNTERS=4096 # of one user

# On the processor that is free, with what the module does for Ann's session.
as_ann() { (exec taskset -c 0 setpriv --reuid=$ANN --regid=$ANN --clear-groups env HOME=/tmp "$@"); }

chown $ANN /dev/uwind
chmod 755 "$WORK"
install -d -o $ANN ann
cp $PROGRAMS/brief_threads .
as_ann uwind record -v -a -F 99 --duration 120 -o ann/all.json >ann.log 2>&1 &
until_true 60 grep -q 'sampling has begun' ann.log || fail "Ann samples herself: $(cat ann.log)"
before=$(status_of counters_failed)
want "threads come and go" as_ann ./brief_threads 500
[ "$(status_of counters_failed)" = "$before" ] || fail "each has a counter: $(($(status_of counters_failed) - before)) had none"

# However slow the machine is: nothing is freed for longer than the kernel thinks right.
stall_limit=/sys/module/rcupdate/parameters/rcu_cpu_stall_timeout
watchdog_limit=/proc/sys/kernel/watchdog_thresh
limits="$(cat $stall_limit) $(cat $watchdog_limit)"
set_limits() { echo "$1" >$stall_limit && echo "$2" >$watchdog_limit; }
set_limits 200 60
# What a fork on the reader's processor has asked the module for would wait there, and so would all children: this shell forks
# elsewhere from now on, and what was asked for before is done.
taskset -pc 0 $$ >taskset.log || fail "one processor is enough: $(cat taskset.log)"
sleep 1
insmod /root/rcu_reader.ko || fail "nothing is freed for a while"
want "more come and go than there may be counters" as_ann ./brief_threads $((COUNTERS + 1500))
failed=$(($(status_of counters_failed) - before))
rmmod rcu_reader
# shellcheck disable=SC2086  # words
set_limits $limits
echo "without a counter, while nothing was freed: $failed"
[ "$failed" -gt 0 ] || fail "counters that are not freed yet are charged: $(uwind status)"

has_counters() {
	before=$(status_of counters_failed)
	as_ann ./brief_threads 100
	[ "$(status_of counters_failed)" = "$before" ]
}
until_true 20 has_counters || fail "when they are freed, there is room again"
pkill -TERM -x uwind
wait
rules ann/all.json schema balance
