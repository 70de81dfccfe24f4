# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Recording a command, a process and everything; the command's exit status; formats of the report; a rate that is too high.
# Expected: 35 s
. ./lib.sh

want "a command is recorded" uwind record -F 499 -o command.json -- $PROGRAMS/sframe_victim "$(seconds 4)"
rules command.json schema balance lost:15 samples:sframe_victim:200 complete:sframe_victim:90 \
	chain:sframe_victim:work_recurse:main chain:sframe_victim:work_compare:work_sort bottom:sframe_victim
want_status "record exits with the command's status" 7 uwind record -o status.json -- sh -c 'exit 7'

# Whose return addresses are signed, on arm64.
program=threads_victim
[ ! -e $PROGRAMS/threads_victim_signed ] || program=threads_victim_signed
comm=$(echo $program | cut -c -15)
nice $PROGRAMS/$program 600 &
victim=$!
want "a process is recorded" uwind record -F 199 -p $victim --duration "$(seconds 6)" -o process.json
kill $victim
rules process.json schema balance "samples:$comm:200" "complete:$comm:90" "chain:$comm:work_recurse:thread_work" "only:$comm"

nice $PROGRAMS/sframe_victim 600 &
victim=$!
want "a period is accepted" uwind record -c 5000000 -p $victim --duration "$(seconds 2)" -o period.json
rules period.json schema balance samples:sframe_victim:50
want "the default file is uwind.json" uwind record -p $victim --duration 1
want "an older report stays as .old" uwind record -p $victim --duration 1
[ -e uwind.json.old ] || fail "an older report stays as .old"
[ "$(stat -c %a uwind.json)" = 600 ] || fail "a report is for its owner only"
kill $victim

uwind report -i command.json --format folded >folded.txt || fail "folded output"
grep -q '^sframe_victim;.*main.*work_recurse.* [0-9][0-9]*$' folded.txt || fail "folded lines go from the outside in: $(head -n 3 folded.txt)"
want "a summary is printed" uwind report -i command.json --format summary
want_status "an unknown option is a usage error" 64 uwind record --no-such-option
! uwind record -p 999999 --duration 1 -o x.json || fail "a process that is not there is an error"

# A clock that has ticked too often stands still until the next of the kernel's ticks: what it misses is counted.
rate=/proc/sys/kernel/perf_event_max_sample_rate
usual=$(cat $rate)
throttled=$(status_of throttled) missed=$(status_of periods_missed)
echo 500 >$rate
want "a rate that the kernel does not allow" uwind record -F 10000 -o throttled.json -- $PROGRAMS/sframe_victim "$(seconds 2)"
echo "$usual" >$rate
rules throttled.json schema balance
throttled=$(($(status_of throttled) - throttled)) missed=$(($(status_of periods_missed) - missed))
[ $throttled -ge 10 ] || fail "clocks that stand still are counted: $throttled"
[ $missed -ge $((10 * throttled)) ] || fail "and what they miss: $missed, stood still $throttled times"
