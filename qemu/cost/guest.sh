#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest whose time counts its instructions: what one sample costs in the kernel, by the kernel's own function graph tracer,
# of uwind and of perf, the same program below 45 frames each time. Prints lines of a table.
#
# Usage: guest.sh [SECONDS]     of guest time, for each row
set -eu
seconds=${1:-2}
TRACING=/sys/kernel/tracing
HZ=499
cd /tmp
mount -t tracefs tracefs $TRACING 2>/dev/null || true
echo 16384 >$TRACING/buffer_size_kb

# A function that does next to nothing: what the tracer itself adds to each.
EMPTY=uw_request_suits

# traced "FUNCTION..." COMMAND...: their durations while the command runs, in trace.txt.
traced() {
	functions=$1
	shift
	echo nop >$TRACING/current_tracer
	: >$TRACING/set_ftrace_filter
	for function in $functions; do echo "$function" >>$TRACING/set_ftrace_filter; done
	echo function_graph >$TRACING/current_tracer
	"$@"
	cat $TRACING/trace >trace.txt
	echo nop >$TRACING/current_tracer
}

# sampled WAY COMMAND...: the program works that way under a recording, which has begun before.
sampled() {
	way=$1
	shift
	: >$TRACING/trace
	echo 1 >$TRACING/tracing_on
	"$@" /root/programs/deep_framed "$way" 39 "$seconds" >record.log 2>&1 || { cat record.log >&2 && exit 1; }
	echo 0 >$TRACING/tracing_on
}

by_uwind() { sampled "$1" uwind record -F $HZ -o uwind.json --; }
# What it costs to copy a stack hangs on where in its page the stack begins, which differs from process to process: the median
# of eight.
EIGHT='for process in 1 2 3 4 5 6 7 8; do "$@"; done'
by_perf() { sampled same perf record -q -e cpu-clock:u -F $HZ -o perf.data "$@" -- sh -c "$EIGHT" sh; }

# mean FUNCTION [SAMPLES]: instructions a call, or all of them by so many samples.
mean() { python3 /root/cost/mean.py trace.txt "$@"; }
row() { printf '| %s | %s | %s | %s | %s | %s | %s | %s |\n' "$@"; }

# figures uwind|perf FILE: frames and bytes of a sample.
figures() { read -r frames bytes <<-END
	$(python3 /root/cost/figures.py "$@")
	END
}

uwind_row() { # WAY NAME
	traced "__perf_event_overflow request_run uw_sender_flush" by_uwind "$1"
	samples=$(grep -c 'request_run' trace.txt)
	interrupt=$(mean __perf_event_overflow) work=$(mean request_run) send=$(mean uw_sender_flush "$samples")
	traced "uw_session_fired request_walk uw_session_answer" by_uwind "$1"
	figures uwind uwind.json
	row "$2" "$frames" "$(mean uw_session_fired)" "$(mean request_walk)" "$(mean uw_session_answer)" "$send" \
		"$((interrupt + work + send))" "$bytes"
}

perf_row() { # NAME OPTION...
	name=$1
	shift
	traced __perf_event_overflow by_perf "$@"
	figures perf perf.data
	row "$name" "$frames" "" "" "" "" "$(mean __perf_event_overflow)" "$bytes"
}

row sampler frames request walk record messages 'in all' 'bytes a sample'
row --- ---: ---: ---: ---: ---: ---: ---:
uwind_row other 'uwind, each stack new'
uwind_row inner 'uwind, the five inner frames new'
uwind_row same 'uwind, a known stack'
perf_row 'perf record -g' -g
perf_row 'perf record --call-graph dwarf' --call-graph dwarf
echo
# shellcheck source=qemu/cost/events.sh
. /root/cost/events.sh
event_table
echo
traced $EMPTY by_uwind same
echo "The tracer's own share of each number: $(mean $EMPTY)."
