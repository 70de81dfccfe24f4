#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs the cases beside it in order, or only those named, and prints "ok NAME SECONDS" or "FAIL NAME SECONDS" for each;
# the first, 00_boot, says when the guest got here. Environment: WITHOUT (names of cases to leave out)
# A case that needs what this kernel has not is passed over, with a word.
#
# Usage: run-all.sh [NN_name]...
cd "$(dirname "$0")" || exit 1

now() { cut -d. -f1 /proc/uptime; }

# A case leaves nothing behind that holds the module.
module_unused() {
	for _ in 1 2 3 4 5; do
		[ "$(sed -n 's/^uwind [0-9]* \([0-9]*\) .*/\1/p' /proc/modules)" = 0 ] && return
		sleep 0.5
	done
	echo "not so: nothing holds the module: $(grep '^uwind ' /proc/modules)"
	return 1
}

# What a case needs is a path, or a pattern of paths, perhaps a size of pages, or a feature of the processors.
has_needs() {
	needs=$(sed -n 's/^# Needs: //p' "$1.sh")
	pages=$(sed -n 's/^# Pages: \([0-9]*\).*/\1/p' "$1.sh")
	feature=$(sed -n 's/^# Feature: //p' "$1.sh")
	# shellcheck disable=SC2086
	if [ -n "$needs" ] && ! ls -d $needs >/dev/null 2>&1; then
		echo "passed over: $1 needs $needs, which this kernel has not"
	elif [ -n "$pages" ] && [ "$pages" != "$(getconf PAGESIZE)" ]; then
		echo "passed over: $1 needs pages of $pages bytes"
	elif [ -n "$feature" ] && ! grep -qw "$feature" /proc/cpuinfo; then
		echo "passed over: $1 needs processors with $feature, and a kernel that knows it"
	else
		return 0
	fi
	return 1
}

# A case may take five times what it expects, and a minute, before it counts as stuck.
run_case() {
	start=$(now)
	expected=$(sed -n 's/^# Expected: \([0-9]*\) s.*/\1/p' "$1.sh")
	echo "== $1 (expected: $expected s)"
	verdict=ok
	timeout -k 30 "${CASE_LIMIT:-$((60 + 5 * expected))}" sh "./$1.sh" || verdict=FAIL
	module_unused || verdict=FAIL
	echo "$verdict $1 $(($(now) - start))"
	[ $verdict = ok ]
}

wanted() { case " ${WITHOUT:-} " in *" $1 "*) return 1 ;; esac; }

# The machine has all its processors.
check_boot() {
	verdict=ok
	present=$(cat /sys/devices/system/cpu/present) online=$(cat /sys/devices/system/cpu/online)
	if [ "$present" != "$online" ]; then
		echo "not so: each processor is awake: present $present, online $online"
		verdict=FAIL
	fi
	echo "$verdict 00_boot $(now)"
	[ $verdict = ok ]
}

status=0
check_boot || status=1
if [ $# = 0 ]; then
	for file in [0-9][0-9]_*.sh; do
		if wanted "${file%.sh}"; then set -- "$@" "${file%.sh}"; fi
	done
fi
for name in "$@"; do
	has_needs "$name" || continue
	run_case "$name" || status=1
done
exit $status
