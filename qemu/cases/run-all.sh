#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs the cases beside it in order, or only those named, and prints KTAP (README.md): a line for each case, with its seconds
# in a diagnostic line before it, and what the case printed nested before that. The first result, 00_boot, says when the guest
# got here. Environment: CASE_LIMIT (seconds)
# A case that needs what this kernel does not have is skipped, with the reason. After each the guest is put in order (renew.sh);
# if that fails, the run ends there.
#
# Usage: run-all.sh [--shuffle SEED] [NN_name]...      --shuffle: in an order that the number SEED decides, 95_leaks last
cd "$(dirname "$0")" || exit 1
. ./renew.sh

ENDED='the case ends with status ' # ends what nest() reads

now() { cut -d. -f1 /proc/uptime; }

file_of() { if [ -e "$1.py" ]; then echo "$1.py"; else echo "$1.sh"; fi; }

# header NAME KEY: what a case's file says of itself, as "# KEY: VALUE".
header() { sed -n "s/^# $2: //p" "$(file_of "$1")"; }

# What a case needs is a path, or a pattern of paths, perhaps a size of pages, or a feature of the processors. Prints what is missing.
missing_for() {
	needs=$(header "$1" Needs)
	pages=$(header "$1" Pages | sed 's/[^0-9].*//')
	feature=$(header "$1" Feature)
	# shellcheck disable=SC2086
	if [ -n "$needs" ] && ! ls -d $needs >/dev/null 2>&1; then
		echo "needs $needs, which this kernel does not have"
	elif [ -n "$pages" ] && [ "$pages" != "$(getconf PAGESIZE)" ]; then
		echo "needs pages of $pages bytes"
	elif [ -n "$feature" ] && ! grep -qw "$feature" /proc/cpuinfo; then
		echo "needs processors with $feature, and a kernel that knows it"
	fi
}

# result ok|'not ok' NAME SECONDS
result() {
	number=$((number + 1))
	echo "# $2: $3 s"
	echo "$1 $number $2"
	[ "$1" = ok ] || status=1
}

skip() { # NAME REASON
	number=$((number + 1))
	echo "ok $number $1 # SKIP $2"
}

# In nest(): the line becomes a numbered result.
number_rule() {
	if [ $rules = none ]; then
		line="# $line"
		return
	fi
	[ $rules != 0 ] || echo "  KTAP version 1"
	rules=$((rules + 1))
	line=$(echo "$line" | sed "s/^ok */ok $rules - /; s/^FAIL */not ok $rules - /")
}

# Nests what a case prints: KTAP as it is; without that a program's "ok RULE" and "FAIL RULE" are results; all else is
# diagnostics. Its status is the case's, after which it waits for nobody who may still have the pipe.
nest() {
	rules=0 # or none: the case prints its results itself
	while IFS= read -r line; do
		case $line in
		'') continue ;;
		"$ENDED"*) return "${line#"$ENDED"}" ;;
		'KTAP version '*) rules=none ;;
		1..[0-9]* | 'ok '[0-9]* | 'not ok '[0-9]* | '#'*) ;;
		'ok '* | 'FAIL '*) number_rule ;;
		*) line="# $line" ;;
		esac
		printf '  %s\n' "$line"
	done
	return 1
}

# The case's processes are in its group, all of them. Its limit in seconds is the second argument.
run_file() {
	mkdir $CASE_GROUP
	(
		echo 0 >$CASE_GROUP/cgroup.procs
		case $1 in
		*.py) PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 exec timeout -k 30 "$2" python3 -m pytest "$1" ;;
		*) exec timeout -k 30 "$2" sh "./$1" ;;
		esac
	)
	printf '\n%s%s\n' "$ENDED" $?
}

# switch_off_after SECONDS: a case that not even SIGKILL has ended would keep the guest for ever.
switch_off_after() {
	trap 'kill $nap; exit' TERM
	sleep "$1" &
	nap=$!
	wait $nap
	note "not so: the case ends when it is killed; the guest is switched off"
	sleep 2
	echo o >/proc/sysrq-trigger
}

# A case may take five times what it expects, and three minutes, before it counts as stuck. What the kernel says meanwhile is the case's.
run_case() {
	start=$(now)
	expected=$(header "$1" Expected | sed 's/ .*//')
	limit=${CASE_LIMIT:-$((180 + 5 * ${expected:-0}))}
	echo "# $1 is expected to take $expected s"
	echo "<6>cases: $1 begins" >/dev/kmsg
	switch_off_after $((limit + 90)) &
	guard=$!
	verdict=ok
	run_file "$(file_of "$1")" "$limit" 2>&1 | nest || verdict='not ok'
	kill $guard
	renew_guest || fit=no verdict='not ok'
	result "$verdict" "$1" $(($(now) - start))
}

# The machine has all its processors.
check_boot() {
	verdict=ok
	present=$(cat /sys/devices/system/cpu/present) online=$(cat /sys/devices/system/cpu/online)
	if [ "$present" != "$online" ]; then
		echo "  # not so: each processor is awake: present $present, online $online"
		verdict='not ok'
	fi
	result "$verdict" 00_boot "$(now)"
}

# shuffled SEED NAME...: the same order for the same seed, on every machine.
shuffled() {
	printf '%s\n' "$@" | awk -v seed="$1" '
		NR == 1 { state = seed; next }
		{ state = (state * 16807 + 11) % 2147483647; print ($0 == "95_leaks" ? 1 : 0), state, $0 }' | sort -k1,1n -k2,2n | cut -d' ' -f3
}

seed=
if [ "${1:-}" = --shuffle ]; then
	seed=$2
	shift 2
fi
if [ $# = 0 ]; then
	for file in [0-9][0-9]_*.*; do set -- "$@" "${file%.*}"; done
fi
# It is always the first.
for name; do
	shift
	[ "$name" = 00_boot ] || set -- "$@" "$name"
done
# shellcheck disable=SC2046  # names
[ -z "$seed" ] || set -- $(shuffled "$seed" "$@")
status=0 number=0 fit=yes
echo "KTAP version 1"
echo "1..$(($# + 1))"
remember
check_boot
for name in "$@"; do
	lacks=$(missing_for "$name")
	if [ -n "$lacks" ]; then skip "$name" "$lacks"; else run_case "$name"; fi
	[ $fit = yes ] || { echo "# the guest is not fit for another case" && exit 1; }
done
exit $status
