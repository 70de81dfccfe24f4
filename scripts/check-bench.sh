#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What 'make bench' says of made-up figures: ratios of the same run, what is worse than a baseline, and what it refuses.
#
# Usage: check-bench.sh
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "$*"
	exit 1
}

# figure NAME CACHES SAMPLES: a frame of a stack of 100.
figure() {
	printf '{"group": "frames", "stack": "plain", "frames": "100", "caches": "%s", "of": "%s", "unit": "ns per frame", "samples": [%s]}\n' \
		"$2" "$1" "$3"
}

# In the second run the machine is twice as slow; the samples' lower quartile is 10, then 20. With caches empty the program
# was started twice, and the mean is 100.
mkdir "$work/raw"
{
	figure .eh_frame warm '10, 10, 11, 400'
	figure 'libunwind unw_step' warm '50, 50, 52, 60'
	figure .eh_frame empty '50'
	figure .eh_frame empty '150'
	figure 'libunwind unw_step' empty '50'
} >"$work/raw/1.jsonl"
{
	figure .eh_frame warm '20, 20, 21, 22'
	figure 'libunwind unw_step' warm '100, 100, 120, 130'
} >"$work/raw/2.jsonl"
echo '{"cpu": "made up", "cores": 2, "memory": "1 GiB", "kernel": "6.1", "compiler": "cc", "commit": "0", "load": "0 before, 0 after", "quiet": true}' \
	>"$work/machine.json"

show() { scripts/bench/bench.py show "$work" "$work/baseline.json"; }

# The ratios are 5 in both runs, and 0.5 in one; one is within the tolerance, and one is not.
cat >"$work/baseline.json" <<'JSON'
{"ratios": {"frames | plain | 100 | warm | ns per frame | .eh_frame | libunwind unw_step": 10,
 "frames | plain | 100 | empty | ns per frame | .eh_frame | libunwind unw_step": 0.6,
 "frames | plain | 30 | warm | ns per frame | .eh_frame | libunwind unw_step": 5}}
JSON
show | tail -n 3 >"$work/said"
diff "$work/said" - <<'TEXT'
WORSE: frames | plain | 100 | warm | ns per frame | .eh_frame | libunwind unw_step: 5.00 times, the baseline has 10.00: 50 % less
not measured here, but in the baseline: frames | plain | 30 | warm | ns per frame | .eh_frame | libunwind unw_step
1 of 2 ratios are worse than the baseline by more than 25 % (warm), 40 % (empty), 40 % (remembered), 25 % (lowering), 10 % (memory), 20 % (guests).
TEXT
grep -q '^| libunwind unw_step / .eh_frame | 5.0! |$' "$work/bench.md" || fail "bench.md does not have the ratio"
grep -q '"repetitions": 2' "$work/frames.json" || fail "frames.json does not say the repetitions"
grep -q '^figure: walk "walker=uwind" hot=20.0$' "$work/figures.log" || fail "figures.log does not have the last run's figure"

# A baseline is made of three runs.
if scripts/bench/bench.py renew "$work" "$work/new.json" 2>"$work/said"; then fail "two runs make a baseline"; fi
grep -q 'made of 3 runs at least, and there are 2' "$work/said" || fail "it does not say that runs are missing"
cp "$work/raw/2.jsonl" "$work/raw/3.jsonl"
scripts/bench/bench.py renew "$work" "$work/new.json" >/dev/null
grep -q 'unw_step": 5$' "$work/new.json" || grep -q 'unw_step": 5,$' "$work/new.json" || fail "the new baseline does not have the ratio"

echo '{"group": "frames"' >"$work/raw/2.jsonl"
if show >/dev/null 2>"$work/said"; then fail "a broken record is taken"; fi
grep -q 'raw/2.jsonl:1: this is no record' "$work/said" || fail "it does not say which record is broken"

# What a guest has left: of what is good, more is better; a baseline is made of one run; of a ratio to nothing nothing is said.
mkdir "$work/guest"
echo '{"arch": "x86_64", "kernel": "6.1", "perf": "perf version 6.1"}' >"$work/guest/guest.json"

# guest_figure NAME UNIT SAMPLE
guest_figure() {
	printf '{"group": "workloads", "program": "gcc", "rate": "99 Hz", "of": "%s", "unit": "%s", "samples": [%s]}\n' "$@"
}

{
	guest_figure uwind '% complete' 100
	guest_figure 'perf dwarf,8192' '% complete' 50
	guest_figure 'perf fp' '% complete' 0
	guest_figure uwind 'times as long' 1.1
	guest_figure 'perf dwarf,8192' 'times as long' 1.32
} >"$work/guest/workloads.jsonl"
scripts/bench/bench.py guest "$work" "$work/guest"
scripts/bench/bench.py renew "$work" "$work/new.json" >/dev/null
grep '|' "$work/new.json" >"$work/said"
diff "$work/said" - <<'TEXT'
  "workloads | gcc | 99 Hz | % complete | uwind | perf dwarf,8192": 2,
  "workloads | gcc | 99 Hz | times as long | uwind | perf dwarf,8192": 1.2
TEXT
scripts/bench/bench.py show "$work" "$work/new.json" >"$work/said"
grep -q '^A guest: x86_64, Linux 6.1, one processor' "$work/said" || fail "the table does not say that it is a guest's"
grep -q '^0 of 2 ratios are worse' "$work/said" || fail "a guest's own ratios are worse than themselves"
