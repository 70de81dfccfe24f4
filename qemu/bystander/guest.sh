#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# How long a bystander waits for mmap, fork and exec: alone, beside a process of many mappings that forks all the time, and
# while that one is sampled; then the same beside one that has registered a section. Runs in a guest as root; a row of a table
# for each, in microseconds. Fails if the worst mmap or exec while it is sampled is more than twice that beside the same process unsampled, and a
# millisecond.
# Environment: SECONDS_EACH (30), MAPPINGS (30000)
set -eu
P=/root/programs
each=${SECONDS_EACH:-30}
pause_ms=5 # of each nine or so: it goes before all others, and there is one processor
number=${MAPPINGS:-30000}
status=0
sysctl -qw vm.max_map_count=262144

# cells FILE: worst, 99.9 % and median of each call.
cells() { sed 's/[a-z]*: worst \([0-9]*\) us, 99.9 % \([0-9]*\) us, median \([0-9]*\) us, of [0-9]* */| \1 | \2 | \3 /g' "/tmp/$1"; }

# row FILE WHO: after a moment for those who begin. What the bystander said stays in FILE.
row() {
	sleep 1
	"$P/bystander" "$each" $pause_ms >"/tmp/$1"
	printf '| %s | %s %s|\n' "$(uname -r)" "$2" "$(cells "$1")"
}

# worst FILE CALL: in microseconds.
worst() { sed -n "s/.*$2: worst \([0-9]*\) us.*/\1/p" "/tmp/$1"; }

# alike CALL WHO: sampled or not.
alike() {
	least=$(worst unsampled "$1") most=$(worst sampled "$1")
	if [ "$most" -gt $((2 * least + 1000)) ]; then
		echo "not so: sampling $2 keeps nobody waiting: the worst $1 took $most us, and $least us while it was not sampled"
		status=1
	fi
}

# Only that process and its children: what the bystander pays for samples of its own is not what it waits for others. Nor
# is the processor, which a lock's holder would have to share with the recorder: from its beginning on that comes last.
begin_recording() {
	uwind record -v -p $mapper -F 999 -o /tmp/bystander.json --duration 100000 >/tmp/bystander.log 2>&1 &
	recorder=$!
	for _ in $(seq 600); do
		! grep -q 'sampling has begun' /tmp/bystander.log || break
		sleep 0.5
	done
	for task in /proc/"$recorder"/task/*; do /bin/busybox renice -n 19 -p "${task##*/}" >/dev/null; done
	sleep 1
}

# Of half a minute at 999 Hz.
end_recording() {
	kill -TERM $recorder
	wait $recorder || { cat /tmp/bystander.log; exit 1; }
	tail -n 1 /tmp/bystander.log
	samples=$(sed -n 's/^uwind: \([0-9]*\) samples.*/\1/p' /tmp/bystander.log)
	[ "${samples:-0}" -ge 500 ] || { echo "not so: it was sampled: ${samples:-0} samples"; status=1; }
}

# beside VERB WHO: of those that the program has.
beside() {
	"$P/bystander" "$1" "$number" 100000 &
	mapper=$!
	row unsampled "beside $2"
	begin_recording
	row sampled "beside $2, sampled"
	end_recording
	kill $mapper
	wait $mapper || true
	alike mmap "$2"
	alike exec "$2"
}

printf '| kernel | beside'
for call in mmap fork exec; do printf ' | %s worst | 99.9 %% | median' $call; done
printf ' |\n|---|---|---|---|---|---|---|---|---|---|---|\n'
row alone alone
beside mapper "$number mappings"
beside bound "$number mappings and a section"
exit $status
