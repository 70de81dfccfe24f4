# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A storm of forks, execs, library loads, faults, signals and exits, in 64 threads of 16 processes, while four sessions start and
# stop, of clocks, tracepoints, probes and times off the CPU: each report balances, so do the module's own numbers, and the module goes within a second of the last session.
# Expected: 75 s; STORM=10 is how many seconds it lasts, STORM_HZ=1999 each session's rate, STORM_LEAST=1000 how many requests
# there must be
. ./lib.sh

storm=${STORM:-10}
hz=${STORM_HZ:-1999}

# The module's numbers while no session runs: requested = answered + lost by cause.
sum_of() { uwind status | awk -v begin="$1" 'index($1, begin) == 1 { sum += $2 } END { print sum + 0 }'; }

# of_round NUMBER OPTION...: uwind record, of the events of that round.
of_round() {
	kind=$(($1 % 5))
	shift
	case $kind in
	0) uwind record "$@" -F "$hz" ;;
	1) uwind record "$@" -e offcpu/period=1/ ;;
	2) uwind record "$@" -F "$hz" -e cpu-clock -e offcpu --kernel-stacks ;;
	3) uwind record "$@" -e sched:sched_switch -e page-faults -e signal --kernel-stacks ;;
	4) uwind record "$@" -e kprobe:handle_mm_fault -e kretprobe:do_exit -e raw_syscalls:sys_enter --filter 'id < 8' ;;
	esac
}

# record_on NUMBER SECONDS: one recording after the other, until the storm is over, or the case, whose folder goes with it.
record_on() {
	round=0
	while [ ! -e over ] && [ -d "$WORK" ]; do
		round=$((round + 1))
		of_round $((round + $1)) -a --duration "$2" -o "s$1.json" 2>>"s$1.log" || touch failed
		rules "s$1.json" schema balance || touch failed
	done
	touch "ended$1"
}

no_session() { [ "$(status_of sessions)" = 0 ]; }
all_ended() { [ -e ended1 ] && [ -e ended2 ] && [ -e ended3 ] && [ -e ended4 ]; }

requested=$(status_of requested)
record_on 1 3 &
record_on 2 5 &
record_on 3 7 &
record_on 4 4 &
start=$(date +%s)
nice $PROGRAMS/storm_victim "$storm" $PROGRAMS/plugin.so >storm.txt &
wait $!
touch over
seconds=$(($(date +%s) - start))
until_true 300 all_ended || fail "the recordings end: $(tail -n 1 s?.log)"
until_true "$PATIENCE" no_session || fail "no session is left: $(uwind status)"
[ ! -e failed ] || fail "each recording balances: $(tail -n 3 s?.log)"
uwind status >status.txt
requested=$(($(status_of requested) - requested))
[ "$(sum_of requested)" = $(($(sum_of answered) + $(sum_of lost.))) ] || fail "requested = answered + lost: $(cat status.txt)"
[ "$requested" -ge "${STORM_LEAST:-1000}" ] || fail "enough was requested: $requested"

remove_module "after the storm"
echo "storm: $seconds s; $(cat storm.txt); sessions: $(cat s?.log | wc -l)"
echo "requested $requested ($((requested / (seconds + 1))) a second, of $((4 * hz * $(nproc))) wanted); rmmod took $took ms"
grep -E '^(answered|lost\.)' status.txt | tr '\n' ';'
echo
insert_module
