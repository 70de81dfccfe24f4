#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs the cases beside it in order, or only those named, and prints KTAP (README.md): a line for each case, with its seconds
# in a diagnostic line before it, and what the case printed nested before that. The first result, 00_boot, says when the guest
# got here. Environment: CASE_LIMIT (seconds)
# A case that needs what this kernel does not have is skipped, with the reason.
#
# Usage: run-all.sh [NN_name]...
cd "$(dirname "$0")" || exit 1

ENDED='the case ends with status ' # ends what nest() reads

now() { cut -d. -f1 /proc/uptime; }

file_of() { if [ -e "$1.py" ]; then echo "$1.py"; else echo "$1.sh"; fi; }

# header NAME KEY: what a case's file says of itself, as "# KEY: VALUE".
header() { sed -n "s/^# $2: //p" "$(file_of "$1")"; }

# A case leaves nothing behind that holds the module.
module_unused() {
	for _ in 1 2 3 4 5; do
		[ "$(sed -n 's/^uwind [0-9]* \([0-9]*\) .*/\1/p' /proc/modules)" = 0 ] && return
		sleep 0.5
	done
	echo "  # not so: nothing holds the module: $(grep '^uwind ' /proc/modules)"
	return 1
}

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

run_file() {
	case $1 in
	*.py) PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 timeout -k 30 "$2" python3 -m pytest "$1" ;;
	*) timeout -k 30 "$2" sh "./$1" ;;
	esac
	printf '\n%s%s\n' "$ENDED" $?
}

# A case may take five times what it expects, and a minute, before it counts as stuck.
run_case() {
	start=$(now)
	expected=$(header "$1" Expected | sed 's/ .*//')
	echo "# $1 is expected to take $expected s"
	verdict=ok
	run_file "$(file_of "$1")" "${CASE_LIMIT:-$((60 + 5 * ${expected:-0}))}" 2>&1 | nest || verdict='not ok'
	module_unused || verdict='not ok'
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

if [ $# = 0 ]; then
	for file in [0-9][0-9]_*.*; do set -- "$@" "${file%.*}"; done
fi
status=0 number=0
echo "KTAP version 1"
echo "1..$(($# + 1))"
check_boot
for name in "$@"; do
	lacks=$(missing_for "$name")
	if [ -n "$lacks" ]; then skip "$name" "$lacks"; else run_case "$name"; fi
done
exit $status
