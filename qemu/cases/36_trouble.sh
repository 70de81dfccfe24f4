# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What goes wrong around a recording: processors, readers and memory that go away, several recorders, targets that do not run.
# Expected: 120 s
. ./lib.sh

parameter=/sys/module/uwind/parameters/table_budget_mib
socket_limit=/proc/sys/net/core/rmem_max
with= # what a recording is started with
frozen=/sys/fs/cgroup/frozen

runs_two() { [ "$(status_of sessions)" = 2 ]; }
runs_four() { [ "$(status_of sessions)" = 4 ]; }
drops() { [ "$(status_of lost.dropped)" -gt 0 ]; }

begin_anew() {
	remove_module "$1"
	echo "$1: rmmod took $took ms"
	insert_module
}

nice $PROGRAMS/threads_victim 3600 &
load=$!

# A processor goes and comes back: its samples do, too, also those of a session that has asked for it alone.
go_and_come() { # SAMPLES before that
	until_true 30 asked $(($(status_of requested) + $1)) || fail "hotplug: samples are taken"
	echo 0 >/sys/devices/system/cpu/cpu1/online || fail "a processor can go"
	sleep 1
	echo 1 >/sys/devices/system/cpu/cpu1/online || fail "a processor can come"
	sleep 4
}
begin hotplug -a -F 499
go_and_come 500
end hotplug $recorder samples:threads_victim:100 cpus:2
begin chosen -a -C 1 -F 499
go_and_come 50
end chosen $recorder samples:threads_victim:50 cpus:1 on:1
begin_anew hotplug

# A reader that stops reading loses records, which are counted; then it goes on.
before=$(cat $socket_limit)
echo 4096 >$socket_limit
with="setpriv --bounding-set=-net_admin --inh-caps=-net_admin"
begin reader -a -F 1999
with=
echo "$before" >$socket_limit
until_true 30 asked 500 || fail "reader: samples are taken"
kill -STOP $recorder
until_true 60 drops || fail "reader: what it does not take is dropped"
kill -CONT $recorder
sleep 2
end reader $recorder samples:threads_victim:20 lost_some:dropped
begin_anew reader

# No more tables than the budget allows: code without one is left by its frame pointer, if it has any, and all is sampled.
echo 0 >$parameter
begin budget -F 199 -p $load
sleep 2
end budget $recorder samples:threads_victim:20
! grep -q '"eh_frame"' budget.json || fail "a table was made of nothing"
[ "$(status_of tables_refused)" != 0 ] || fail "tables that were refused are counted"
echo 256 >$parameter
begin budget_back -F 199 -p $load
sleep 2
end budget_back $recorder samples:threads_victim:20 complete:threads_victim:80
begin_anew budget

# Two recordings and two services at once see the same program.
uwindd --interval 3600 --dir "$WORK/one" &
one=$!
uwindd --interval 3600 --dir "$WORK/two" &
two=$!
until_true 120 runs_two || fail "two services sample"
uwind record -F 199 -p $load --duration 300 -o first.json >first.log 2>&1 &
first=$!
uwind record -F 199 -p $load --duration 300 -o second.json >second.log 2>&1 &
second=$!
until_true 60 runs_four || fail "and two recordings: $(uwind status)"
until_true 120 asked $(($(status_of requested) + 1000)) || fail "several: samples are taken"
kill -TERM $first $second
wait $first || fail "the first recording: $(cat first.log)"
wait $second || fail "the second recording: $(cat second.log)"
until_true 120 asked $(($(status_of requested) + 1500)) || fail "several: the services take samples"
kill -TERM $one
wait $one || fail "the first service ends well"
kill -KILL $two
wait $two 2>/dev/null
rules first.json schema balance samples:threads_victim:100 complete:threads_victim:80
rules second.json schema balance samples:threads_victim:100 complete:threads_victim:80
rules "$(find one -name '*.json' | tail -n 1)" schema samples:threads_victim:20
until_true 5 no_tables || fail "nobody leaves tables: $(uwind list)"
begin_anew several

kill $load
wait $load 2>/dev/null

# A library is replaced on disk while it is mapped, and again.
cp $PROGRAMS/dlopen_victim $PROGRAMS/plugin.so .
nice ./dlopen_victim 600 1 &
replaced=$!
begin replaced -F 499 -p $replaced
for _ in 1 2 3; do
	sleep 2
	cp $PROGRAMS/plugin.so new.so && mv new.so plugin.so
done
end replaced $recorder samples:dlopen_victim:200 complete:dlopen_victim:80 chain:dlopen_victim:plugin_work:main
kill -KILL $replaced
wait $replaced 2>/dev/null

# Stopped and frozen with requests open: the module does not wait for them, and they go on unharmed.
nice $PROGRAMS/threads_victim 3600 &
stopped=$!
nice $PROGRAMS/threads_victim 3600 &
cold=$!
mkdir -p $frozen || fail "a control group"
echo $cold >$frozen/cgroup.procs || fail "a member of a control group"
begin suspended -a -F 1999
until_true 30 asked $(($(status_of requested) + 2000)) || fail "suspended: samples are taken"
kill -STOP $stopped
echo 1 >$frozen/cgroup.freeze
sleep 1
end suspended $recorder samples:threads_victim:100
begin_anew suspended
kill -CONT $stopped
echo 0 >$frozen/cgroup.freeze
sleep 1
kill $stopped || fail "a stopped program goes on"
kill $cold || fail "a frozen program goes on"
until_true 10 gone $stopped || fail "and ends"
until_true 10 gone $cold || fail "and ends"
rmdir $frozen

# No memory: the killer works, and so do we. A file takes most of it, which is quicker.
fill=$(awk '/^MemAvailable/ { mib = int($2 / 1024) - 400; print mib > 900 ? 900 : mib < 0 ? 0 : mib }' /proc/meminfo)
dd if=/dev/zero of=fill bs=1M count="$fill" 2>/dev/null || true # as much as fits
begin memory -a -F 999
# The killer may strike again before the memory has come back: not us, and not the guest's own.
for pid in $(ps -eo pid=); do { echo -1000 >"/proc/$pid/oom_score_adj"; } 2>/dev/null; done
for _ in 1 2 3; do (echo 900 >/proc/self/oom_score_adj && exec sleep 300) & done
(echo 1000 >/proc/self/oom_score_adj && exec $PROGRAMS/lives_victim eats) 2>/dev/null &
eater=$!
until_true 60 gone $eater || fail "memory runs out"
wait $eater 2>/dev/null
for pid in $(ps -eo pid=); do { echo 0 >"/proc/$pid/oom_score_adj"; } 2>/dev/null; done
end memory $recorder samples:lives_victim:20
rm fill
begin_anew memory
