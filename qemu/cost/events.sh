# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What an event costs in the kernel, besides a clock's sample: lines of a second table. Sourced by guest.sh.
#
# "handler" is where the event happens, "answer" on the way back to user space: the walk, and the records.

TIMES=500
VICTIM=/root/programs/events_victim

# happened KIND COMMAND...: the program does that under a recording, each time of which is traced.
happened() {
	kind=$1
	shift
	: >"$TRACING/trace"
	echo 1 >"$TRACING/tracing_on"
	"$@" "$VICTIM" "$kind" $TIMES >record.log 2>&1 || { cat record.log >&2 && exit 1; }
	echo 0 >"$TRACING/tracing_on"
}

event_row() { printf '| %s | %s | %s | %s |\n' "$@"; }

signal_row() { # NAME OPTION...
	name=$1
	shift
	traced "__perf_event_overflow request_run" happened signals uwind record -e signal:signal_deliver -c 1 -o uwind.json "$@" --
	handler=$(mean __perf_event_overflow) answer=$(mean request_run)
	event_row "$name" "$handler" "$answer" "$((handler + answer))"
}

left_out_row() {
	traced __perf_event_overflow happened signals uwind record -e signal:signal_deliver --filter 'sig == 63' -o uwind.json --
	event_row 'a signal that the filter leaves out' "$(mean __perf_event_overflow)" '' "$(mean __perf_event_overflow)"
}

perf_signal_row() {
	traced __perf_event_overflow happened signals perf record -q -g -e signal:signal_deliver -c 1 -o perf.data --
	event_row 'a signal, perf record -g' "$(mean __perf_event_overflow)" '' "$(mean __perf_event_overflow)"
}

# All switches of this guest, by the thread's own: others cost a look at the table.
off_cpu_row() {
	traced "switch_probe waking_probe request_run" happened switches uwind record -e offcpu/period=1/ -o uwind.json --
	handler=$(($(mean switch_probe $TIMES) + $(mean waking_probe $TIMES))) answer=$(mean request_run $TIMES)
	event_row 'a time off the CPU, with its waker' "$handler" "$answer" "$((handler + answer))"
}

# Instructions of a program that makes so many system calls.
instructions() {
	python3 - "$VICTIM" "$1" <<-'END'
		import resource, subprocess, sys
		subprocess.run([sys.argv[1], "calls", sys.argv[2]], check=True, stdout=subprocess.DEVNULL)
		used = resource.getrusage(resource.RUSAGE_CHILDREN)
		print(round((used.ru_utime + used.ru_stime) * 1e9))
	END
}

# An event that never happens, of all CPUs.
never_row() {
	calls=500000
	alone=$(instructions $calls)
	uwind record -v -a -e sched:sched_process_hang -o never.json 2>never.log &
	until grep -qs 'sampling has begun' never.log; do sleep 1; done
	beside=$(instructions $calls)
	kill -INT $!
	wait $!
	event_row 'a system call, beside an event that never happens' '' '' "$(((beside - alone) / calls))"
}

event_table() {
	event_row event handler answer 'in all'
	event_row --- ---: ---: ---:
	signal_row 'a signal'
	signal_row "a signal, with the kernel's stack" --kernel-stacks
	perf_signal_row
	left_out_row
	off_cpu_row
	never_row
}
