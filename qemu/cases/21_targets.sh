# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What is sampled satisfies every filter of its session: a cgroup and those below it, processes left out with the children
# that they make later, processors, the depth of a stack. Two sessions at once do not see each other's.
# Expected: 90 s
. ./lib.sh

group=/sys/fs/cgroup/targets
leave_groups() {
	for pid in $(ps -o pid= --ppid $$); do kill -KILL "$pid" 2>/dev/null || true; done
	umount "$WORK/old" 2>/dev/null
	sleep 0.5
	rmdir $group/deep $group/gone $group 2>/dev/null
	clean_up
}
trap leave_groups EXIT
mkdir -p $group/deep
for name in inside nested outside moved; do cp $PROGRAMS/sframe_victim $name; done
for name in forking except; do cp $PROGRAMS/fork_victim $name; done

# in_group GROUP COMMAND...: in the background, $! is the command itself.
in_group() { exec sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$@"; }

# start_beside NAME OPTION...: beside those in recorders.
recorders='' names=''
start_beside() {
	start "$@" -F 199
	recorders="$recorders $recorder" names="$names $1"
}

all_begin() { for name in $names; do until_true 60 has_begun "$name" || fail "$name: record samples: $(cat "$name.log")"; done; }

# end_after REQUESTS: all recordings, when so many more stacks were asked for.
end_after() {
	all_begin
	until_true 120 asked $(($(status_of requested) + $1)) || fail "stacks are asked for: $(cat ./*.log)"
	# shellcheck disable=SC2086  # process numbers
	kill -TERM $recorders
	for recorder in $recorders; do wait "$recorder" || fail "a recording ends well: $(cat ./*.log)"; done
	recorders='' names=''
}

# pin PROCESS PROCESSOR
pin() { python3 -c 'import os, sys; os.sched_setaffinity(int(sys.argv[1]), {int(sys.argv[2])})' "$@" || fail "a process is pinned"; }

# The recorders go first: they make all tables anew each time.
(in_group $group nice ./inside 600) &
inside=$!
(in_group $group/deep nice ./nested 600) &
nested=$!
(in_group $group nice ./forking 600) &
forking=$!
(in_group $group nice ./except 600) &
except=$!
nice ./outside 600 &
outside=$!
nice ./moved 600 &
moved=$!

# Of those that fork, only children work: they make none until both sessions are there.
until_true 20 grep -qx $except $group/cgroup.procs || fail "a process is in the cgroup"
until_true 20 grep -qx $forking $group/cgroup.procs || fail "another one is"
sleep 1
kill -STOP $except $forking
sleep 2
start_beside group --cgroup targets --exclude-pid $except
start_beside named -p $outside,$inside --exclude-pid $inside
all_begin
kill -CONT $except $forking
until_true 60 asked $(($(status_of requested) + 300)) || fail "stacks are asked for: $(cat ./*.log)"
echo $moved >$group/cgroup.procs || fail "a process is moved"
end_after 600
rules group.json schema balance samples:inside:20 samples:nested:20 samples:moved:5 processes:forking:2 absent:except absent:outside \
	complete:inside:80 session:target:all session:cgroup:targets "session:excluded:[$except]"
rules named.json schema balance only:outside samples:outside:20 "session:excluded:[$inside]"
kill $except $forking $moved $nested

# Processors, and with them a cgroup by its own path; a depth, beside a session that has none.
pin $inside 0
pin $outside 1
start_beside first -C 0 -a
start_beside second -a --cgroup $group -C 0-1
start_beside none -C 1 --cgroup /targets
end_after 400
rules first.json schema balance samples:inside:20 absent:outside session:cpus:0
rules second.json schema balance only:inside samples:inside:20 session:cpus:0-1
rules none.json schema balance absent:inside absent:outside
start_beside alone -C 0 # no other session's requests are answered along with its own
end_after 200
rules alone.json schema balance samples:inside:20 absent:outside on:0 session:target:all
start_beside short --max-depth 10 -p $inside
start_beside deep -p $inside
end_after 300
rules short.json schema balance samples:inside:20 depth:inside:10 stop:inside:depth:20 session:max_depth:10
rules deep.json schema balance samples:inside:20 complete:inside:80
kill $outside

# A group that goes has nobody any more.
mkdir $group/gone
start_beside gone --cgroup targets/gone
all_begin
rmdir $group/gone || fail "a session does not hold its cgroup's folder"
sleep 1
end_after 0
rules gone.json schema balance absent:inside

# The service.
uwindd --interval 2 --dir "$WORK/reports" -G /targets -C 0 --max-depth 10 >uwindd.log 2>&1 &
daemon=$!
has_reports() { [ "$(find reports -name '*.json' 2>/dev/null | wc -l)" -ge 2 ]; }
until_true 60 has_reports || fail "the service writes reports: $(cat uwindd.log)"
kill -TERM $daemon
wait $daemon || fail "the service ends well: $(cat uwindd.log)"
rules "$(find reports -name '*.json' | sort | sed -n 2p)" schema only:inside depth:inside:10 session:cgroup:/targets

# refused MESSAGE OPTION...
refused() {
	message=$1
	shift
	want_status "$* is an error" 64 uwind record -o no.json --duration 1 "$@" 2>refused.log
	grep -q -- "$message" refused.log || fail "the message names it: $(cat refused.log)"
}
mkdir old
mount -t cgroup -o none,name=old old old || fail "an old hierarchy is mounted"
refused 'cgroup nowhere: there is none below /sys/fs/cgroup' --cgroup nowhere
refused 'cgroup /tmp: is a folder, but not a cgroup' --cgroup /tmp
refused 'cgroup targets/cgroup.procs: not a cgroup, but a file' --cgroup targets/cgroup.procs
refused "cgroup $WORK/old: is of version 1" --cgroup "$WORK/old"
refused 'no CPU 999: this machine has 0-' -C 0,999
refused 'no process 999999: check' -p 999999
refused 'no process 999999: check' -a --exclude-pid 999999
