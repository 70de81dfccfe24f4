# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What the cases share beside common.sh: failing with a sentence, the module, and rules about reports. Sourced, never run.

# shellcheck disable=SC2034,SC2119,SC2120  # used by the cases, with arguments
PROGRAMS=/root/programs
CASES=$(cd "$(dirname "$0")" && pwd)
. "$CASES/common.sh"
DELAYED_MODULE=/root/stall/uwind.ko # built with UWIND_STALL=1: kmod/stall.h
PROBES=/sys/kernel/tracing
WORK=$(mktemp -d /tmp/case.XXXXXX)

# What a case leaves besides, run-all.sh puts in order (renew.sh).
trap 'rm -rf "$WORK"' EXIT
exec 9>&2 # also where a command's errors are thrown away
trap 'echo "not so: it ends in time, while it waits for: $waiting" >&9; exit 1' TERM
cd "$WORK" || exit 1

# seconds N: how long a program runs. Where time counts instructions it has its processor all the time: with SHORT=1 half of that.
seconds() { if [ -n "${SHORT:-}" ]; then echo $((($1 + 1) / 2)); else echo "$1"; fi; }

fail() {
	echo "not so: $*" >&2
	exit 1
}

# As fail, of what only wrong code brings about: the case is not tried again.
wrong() { fail "never again: $*"; }

# want "the rule" COMMAND...: the command succeeds.
want() {
	rule=$1
	shift
	"$@" || fail "$rule ($*)"
}

# want_status "the rule" STATUS COMMAND...
want_status() {
	rule=$1 wanted=$2 got=0
	shift 2
	"$@" || got=$?
	[ "$got" = "$wanted" ] || fail "$rule: exit status $got, not $wanted ($*)"
}

gone() { ! kill -0 "$1" 2>/dev/null; }

# The report keeps rules: rules FILE RULE... (see rules.py).
rules() { python3 "$CASES/rules.py" "$@" || fail "the report breaks a rule"; }

# one_keeps FOLDER RULE...: one of its reports keeps them all. How much an interval holds is up to the machine.
one_keeps() {
	folder=$1
	shift
	for report in "$folder"/*.json; do
		if [ -e "$report" ] && python3 "$CASES/rules.py" "$report" "$@"; then return; fi
	done
	return 1
}

# A number of the module's, by its name.
status_of() { uwind status | sed -n "s/^$1  *//p"; }

# One session runs; at first a service's may be waiting for its tables.
is_sampling() { [ "$(status_of sessions)" = 1 ]; }

# has_tables FILE...: each is listed. The list is in list.txt.
has_tables() {
	uwind list >list.txt
	for mapped; do grep -q "/$mapped" list.txt || return 1; done
}

# start NAME ARGUMENT...: a recording NAME.json in the background; recorder is its process, with= what it is started with.
start() {
	name=$1
	shift
	rm -f "$name.log" # has_begun() must not find an older one's
	${with:-} uwind record -v "$@" --duration 3600 -o "$name.json" >"$name.log" 2>&1 &
	recorder=$!
}

# Its tables are there, and its samples begin.
has_begun() { grep -q 'sampling has begun' "$1.log"; }

# begin NAME ARGUMENT...: the same, and its samples begin.
begin() {
	start "$@"
	until_true 120 has_begun "$name" || fail "$name: record samples: $(cat "$name.log")"
}

# end NAME PROCESS RULE...: it ends, and its report keeps the rules.
end() {
	kill -TERM "$2"
	wait "$2" || fail "$1: recorded: $(cat "$1.log")"
	name=$1
	shift 2
	rules "$name.json" schema balance "$@"
	echo "$name, at $(cut -d. -f1 /proc/uptime) s: $(tail -n 1 "$name.log")"
}

# halt PROCESS: it is stopped when this ends. Where the kernel's text is patched, whoever runs that text is halted (README.md).
halt() {
	kill -STOP "$1"
	until_true $PATIENCE grep -q '^State:.T' "/proc/$1/status" || fail "process $1 is stopped"
}

no_tables() { [ "$(status_of tables)" = 0 ]; }

# So many stacks have been asked for since the module was loaded.
asked() { [ "$(status_of requested)" -ge "$1" ]; }

# remove_module WHAT: as rmmod does, done within a second. took: the milliseconds of the system call.
remove_module() {
	took=$(python3 "$CASES/remove_module.py") || fail "$1: rmmod"
	[ "$took" -lt "${RMMOD_LIMIT_MS:-1000}" ] || fail "$1: rmmod took $took ms"
}

insert_module() {
	module_loaded || insert || fail "insmod $MODULE_FILE"
	until_true $PATIENCE test -c /dev/uwind || fail "/dev/uwind did not appear"
}

# count_calls FUNCTION: from here on calls says how often the kernel has called it. Nobody runs it now (README.md).
count_calls() {
	echo "p:cases/counted $1" >$PROBES/kprobe_events || fail "a probe of $1"
	echo 0 >$PROBES/options/record-cmd # which would patch the scheduler
	echo 1 >$PROBES/events/cases/counted/enable
}
calls() { awk '$1 == "counted" { print $2 }' $PROBES/kprobe_profile; }
count_no_calls() {
	echo 0 >$PROBES/events/cases/counted/enable
	echo >$PROBES/kprobe_events
}
