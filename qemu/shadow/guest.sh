#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest whose processors have shadow stacks: stock programs of the release in /sid, recorded while each works. Prints a table of
# the walks that were compared, and of those that differ; fails if too few were, or one in a recording's second half differs.
#
# Usage: guest.sh [SECONDS]     of work of each program
# shellcheck source=../cases/lib.sh
. "$(dirname "$0")/../cases/lib.sh"
CASES=/root/cases
seconds=${1:-10}
root=/sid

# 3: also with libraries that do not say that they are made for it (glibc's manual, "Hardware Capability Tunables").
export GLIBC_TUNABLES=glibc.cpu.aarch64_gcs=3 LC_ALL=C

# compare PROGRAM ARGUMENT...
compare() {
	program=$1
	checked=$(status_of shadow_checked) differ=$(status_of stops.shadow_stack)
	timeout "$seconds" chroot $root "$@" </dev/null >/dev/null 2>"$program.log" &
	work=$!
	until_true 10 at_work "$program" || fail "$program works: $(cat "$program.log")"
	want "$program is recorded" uwind record -F 999 -p "$(at_work "$program")" --duration "$((seconds - 2))" -o "$program.json" 2>record.log
	wait $work || [ $? = 124 ] || fail "$program works on: $(cat "$program.log")"
	checked=$(($(status_of shadow_checked) - checked)) differ=$(($(status_of stops.shadow_stack) - differ))
	printf '| %s | %s | %s |\n' "$program" $checked $differ
	all_checked=$((all_checked + checked)) all_differ=$((all_differ + differ))
	[ $checked -ge 1000 ] || fail "$program: walks are compared"
	rules "$program.json" schema balance "complete:$program:97" "agrees:$program"
}

at_work() { pgrep -x "$1"; }

cp /root/demo-work/* $root/tmp
cat $root/usr/bin/perl $root/usr/bin/python3.* >$root/tmp/large
all_checked=0 all_differ=0
echo '| program | walks compared | of them different |'
echo '|---|---|---|'
compare python3 /tmp/work.py
compare perl /tmp/work.pl
compare gawk -f /tmp/work.awk
compare sqlite3 :memory: '.read /tmp/work.sql'
# shellcheck disable=SC2016  # for bash there
compare bash -c 'f() { [ "$1" = 0 ] || f $(($1 - 1)); }; while :; do f 20; done'
compare xz -9 -T1 -c /tmp/large
echo "| all six | $all_checked | $all_differ |"
