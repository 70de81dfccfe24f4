# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Who may open /dev/uwind without privilege sees the own processes, as ptrace has it, and nothing of others; what such
# users register serves their own processes only, and is charged to them.
# Expected: 75 s
. ./lib.sh

GROUP=61000 ANN=61001 BEN=61002 EVE=61003 # Eve is not in the group
parameters=/sys/module/uwind/parameters

# as UID COMMAND...: in the background, $! is the command itself.
as() {
	uid=$1
	shift
	groups="--groups=$GROUP"
	[ "$uid" != $EVE ] || groups=--clear-groups
	exec setpriv --reuid="$uid" --regid="$uid" "$groups" env HOME=/tmp "$@"
}

# The same, to the end.
as_ok() { (as "$@"); }

# record_as_ann FILE OPTION...: until there are some hundred samples.
record_as_ann() {
	file=$1
	shift
	(as $ANN uwind record -F 499 --duration 120 -o $ANN/"$file" "$@") >record.log 2>&1 &
	recorder=$!
	until_true 90 asked $(($(status_of requested) + 300)) || fail "a member records $*: $(cat record.log)"
	kill -TERM $recorder
	wait $recorder || fail "a member records $*: $(cat record.log)"
}

chgrp $GROUP /dev/uwind
chmod 755 "$WORK"
for user in $ANN $BEN $EVE; do install -d -o "$user" -g "$user" -m 755 "$user"; done
for name in busy hide become spoil; do cp $PROGRAMS/member $name; done
install -m 4755 $PROGRAMS/member /usr/bin/privileged # where set-user-ID counts
cp $PROGRAMS/sframe_victim $PROGRAMS/dlopen_victim $PROGRAMS/plugin.so .

want_status "who is not in the group is refused" 77 as_ok $EVE uwind record -o $EVE/eve.json -- ./sframe_victim 1 2>eve.log
grep -q 'join its group' eve.log || fail "and is told what to do: $(cat eve.log)"

# Rates, numbers, other processes, others' descriptors.
cp $PROGRAMS/sleeper unused
$PROGRAMS/member_check $GROUP $ANN $BEN unused >checks.txt || fail "the contract holds: $(grep -v '^ok' checks.txt)"
[ "$(grep -c '^ok' checks.txt)" -gt 50 ] || fail "every rule was tried"

# What is sent to a reader reaches no other socket, however the reader ends.
$PROGRAMS/reader_attack 8 $EVE >attack.txt || fail "stacks are the reader's: $(cat attack.txt)"

# Ann's own, while Ben's and root's work, too, and one of Ann's hides itself.
(as $BEN ./busy busy 300) &
working=$!
(exec ./busy busy 300) &
working="$working $!"
(as $ANN ./hide hide 300) &
hidden=$!
(as $ANN ./sframe_victim 300) &
own=$!
(as $ANN privileged busy 300) &
raised=$!
record_as_ann all.json -a
rules $ANN/all.json schema balance samples:sframe_victim:100 complete:sframe_victim:60 absent:busy absent:hide absent:privileged

# Her counters interrupt nobody but her own threads: while she sleeps there is no timer of one, whoever else works; each thread that she
# starts has one while it runs, and those of a program that only came to be hers within a second.
timers() { grep -c ', perf_swevent_hrtimer,' /proc/timer_list; }
has_timers() { [ "$(timers)" -gt 0 ]; }
kill $hidden $own $raised
(as $ANN uwind record -v -a -F 9999 --duration 120 -o $ANN/timers.json) >timers.log 2>&1 &
recorder=$!
until_true 60 grep -q 'sampling has begun' timers.log || fail "Ann samples herself: $(cat timers.log)"
grep -q 'only what runs in user mode' timers.log || [ "$(uname -r | cut -d. -f1,2)" != 6.1 ] || fail "and is told what is counted: $(cat timers.log)"
sleep 2
seen=0
for _ in $(seq 20); do seen=$((seen + $(timers))); sleep 0.1; done
# It was two in each look, one for each processor, when counters were of CPUs. The recorder is one of hers, and runs now and then.
[ $seen -lt 20 ] || fail "while Ann's sleep, her counters interrupt nobody: $seen timers in 20 looks"
(as $ANN ./busy busy 300) &
own=$!
until_true 5 has_timers || fail "a thread of Ann's has a counter"
kill -TERM $recorder
wait $recorder || fail "Ann has sampled herself: $(cat timers.log)"
rules $ANN/timers.json schema balance samples:busy:20
kill $own
(as $ANN ./hide hide 300) &
hidden=$!
(as $ANN ./sframe_victim 300) &
own=$!
(as $ANN privileged busy 300) &
raised=$!

# By number.
record_as_ann own.json -p $own
rules $ANN/own.json schema balance only:sframe_victim samples:sframe_victim:200
for pid in $hidden $raised 1; do
	want_status "process $pid is not Ann's to see" 77 as_ok $ANN uwind record -p "$pid" --duration 1 -o $ANN/no.json 2>refused.log
	grep -q "process $pid: not yours to see" refused.log || fail "the message names it: $(cat refused.log)"
done
# shellcheck disable=SC2086  # process numbers
kill $working $hidden $own $raised

# A program that becomes a privileged one in the middle of a recording is lost from sight.
want "a command" as_ok $ANN uwind record -F 499 -o $ANN/become.json -- ./become become 3 /usr/bin/privileged busy 3
rules $ANN/become.json schema balance samples:become:100 absent:privileged

# Ben's recording finds nothing in what Ann spoils for herself, nor does root's; Ann's does.
(as $ANN ./spoil spoil "$WORK/dlopen_victim") >spoil.log 2>&1 &
until_true 20 grep -q tied spoil.log || fail "a member ties a table: $(cat spoil.log)"
want "Ben's" as_ok $BEN uwind record -F 199 -o $BEN/dlopen.json -- ./dlopen_victim 3 2
want "root's" uwind record -F 199 -o root.json -- ./dlopen_victim 3 2
rules $BEN/dlopen.json schema balance complete:dlopen_victim:60 chain:dlopen_victim:plugin_work:main
rules root.json schema balance complete:dlopen_victim:60 chain:dlopen_victim:plugin_work:main
uwind list >root.list
grep -q dlopen_victim root.list || fail "root sees whose table it is: $(cat root.list)"
as_ok $BEN uwind list >ben.list || fail "a member lists"
! grep -q dlopen_victim ben.list || fail "others' tables are not shown: $(cat ben.list)"

# What a member registers is charged: recording goes on without.
echo 16 >$parameters/member_quota_kib
as_ok $BEN uwind record -F 199 -o $BEN/quota.json -- ./sframe_victim 3 >quota.log 2>&1 || fail "recording beyond the quota: $(cat quota.log)"
echo 32768 >$parameters/member_quota_kib
rules $BEN/quota.json schema balance samples:sframe_victim:100
grep -qi quota quota.log || fail "and says so: $(cat quota.log)"
chgrp 0 /dev/uwind
rm /usr/bin/privileged
