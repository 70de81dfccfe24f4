# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# The module is inserted, used under load and removed, while tasks sleep in the kernel with requests open; they wake unharmed.
# Nor do tasks in system calls of seconds delay it, or in probes of system calls, and what is queued for tasks that are stopped
# or frozen does no harm when they go on, be the module gone or there again, and is freed then.
# Expected: 120 s for 10 cycles of each; the long version: CYCLES=10 HELD_CYCLES=100
. ./lib.sh

frozen=/sys/fs/cgroup/frozen

one_cycle() {
	insert_module
	nice $PROGRAMS/threads_victim 600 &
	load=$!
	begin unload -a -F 4999
	$PROGRAMS/sleeper 6 >slept &
	sleepers=$!
	sleep 1
	kill -TERM $recorder
	wait $recorder || fail "record in cycle $cycle: $(cat unload.log)"
	case $(cat unload.log) in *pending*) held=$((held + 1)) ;; esac
	timed_rmmod
	wake_sleepers
	kill $load
	wait $load 2>/dev/null
}

# Removes the module. took is how many milliseconds that lasted, longest the most so far.
timed_rmmod() {
	waiting="rmmod in cycle $cycle"
	took=$(python3 "$CASES/remove_module.py") || fail "rmmod in cycle $cycle"
	[ "$took" -lt "${RMMOD_LIMIT_MS:-1000}" ] || slow=$((slow + 1))
	[ "$took" -le "$longest" ] || longest=$took
}

wake_sleepers() {
	kill -USR1 "$sleepers"
	wait "$sleepers" || fail "the sleepers woke unharmed in cycle $cycle"
	[ "$(cat slept)" = awake ] || fail "the sleepers woke unharmed in cycle $cycle"
}

ticks() { cut -d' ' -f14 "/proc/$1/stat"; }

# runs PROCESS: it uses the processor again, so that it has been in user space.
runs() {
	before=$(ticks "$1")
	until_true $PATIENCE has_run "$1" || fail "process $1 goes on in cycle $cycle"
}
has_run() { [ "$(ticks "$1")" -gt "$before" ]; }

is_frozen() { grep -qx 'frozen 1' $frozen/cgroup.events; }

start_held() {
	$PROGRAMS/sleeper 6 >slept &
	sleepers=$!
	$PROGRAMS/threads_victim 600 &
	stopped=$!
	$PROGRAMS/threads_victim 600 &
	in_cgroup=$!
	sleep 0.3
	halt $stopped
	echo $in_cgroup >$frozen/cgroup.procs
	echo 1 >$frozen/cgroup.freeze
	until_true $PATIENCE is_frozen || fail "the cgroup is frozen"
}

# Whoever likes may do this; two keep the processors from ever seeing a task outside of the kernel.
start_long_calls() {
	long_calls=
	for file in /dev/zero /dev/urandom /dev/zero "$WORK/large"; do
		setpriv --reuid=65534 --regid=65534 --clear-groups ./long_calls "$file" &
		long_calls="$long_calls $!"
	done
}

held_cycle() {
	insert_module
	start_held
	asked=$($PROGRAMS/ask_tasks 8 $stopped $in_cgroup $(pgrep sleeper)) || fail "threads can be asked for"
	[ "$asked" -ge 100 ] || fail "stopped, frozen and sleeping threads were asked for: $asked"
	start_long_calls
	sleep 0.2
	timed_rmmod
	# shellcheck disable=SC2086  # processes
	kill -KILL $long_calls
	# shellcheck disable=SC2086
	wait $long_calls 2>/dev/null
	kill -CONT $stopped
	runs $stopped
	insert_module
	wake_sleepers
	echo 0 >$frozen/cgroup.freeze
	runs $in_cgroup
	kill $stopped $in_cgroup
	wait $stopped $in_cgroup 2>/dev/null
	remove_module "in cycle $cycle, after all have gone on"
}

# In a system call's probe that waits for user memory, which may take for ever. Kernels without such probes refuse it.
trace_reader_cycle() {
	insert_module
	insmod /root/trace_reader.ko 2>refused || { cat refused; return; }
	remove_module "beside a probe that waits"
	echo "beside a probe that waits: rmmod took $took ms"
	rmmod trace_reader
}

# With the free pages on the processors' own lists: tens of megabytes on later kernels, which come and go.
free_kib() {
	awk -v page=$(($(getconf PAGESIZE) / 1024)) '/^(MemFree|Cached|Buffers|SReclaimable):/ { sum += $2 }
		/^ +count:/ { sum += $2 * page } END { print sum }' /proc/meminfo /proc/zoneinfo
}

# cycles WHAT NUMBER: the first ones may leave something in the kernel's own caches.
cycles() {
	longest=0 cycle=0 slow=0
	while [ $cycle -lt "$2" ]; do
		cycle=$((cycle + 1))
		[ $cycle != 10 ] || free=$(free_kib)
		"$1"
	done
	echo "$cycle times $1, longest rmmod: $longest ms"
	[ $slow = 0 ] || fail "rmmod took ${RMMOD_LIMIT_MS:-1000} ms or more in $slow cycles"
}

held=0
cycles one_cycle "${CYCLES:-10}"
echo "with requests held by sleeping tasks: $held"
[ $held != 0 ] || [ $cycle -lt 10 ] || fail "sleeping tasks hold requests" # chance: not in each cycle

mkdir -p $frozen
cp $PROGRAMS/long_calls .
head -c 64M /dev/zero >large
chmod 755 "$WORK"
cycles held_cycle "${HELD_CYCLES:-${CYCLES:-10}}"
rmdir $frozen
trace_reader_cycle
if [ $cycle -ge 50 ]; then
	lost=$((free - $(free_kib)))
	echo "memory that did not come back in $((cycle - 9)) cycles: $lost KiB"
	[ $lost -lt $((cycle * 50)) ] || fail "nothing is lost"
fi
insert_module
