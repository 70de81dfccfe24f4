# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Processes that live for ten milliseconds, and such that dump core, in a recording of everything: they have names and complete
# stacks. What is asked for while the kernel writes a core is answered, too: it was walked before the memory went, up to a depth.
# Without the module's probes of the kernel, such stacks are lost.
# Expected: 50 s
. ./lib.sh

ARMED=/sys/kernel/debug/kprobes/enabled

echo "$WORK/core" >/proc/sys/kernel/core_pattern

# So many have lived, or dumped, in all.
lived() { [ "$(wc -l <lives.txt)" -ge "$1" ]; }
dumped() { [ "$(grep -c dumped deaths.txt)" -ge "$1" ]; }

begin r -a -F 999
$PROGRAMS/short_lived 3600 >lives.txt &
short_lived=$!
$PROGRAMS/dump_victim 3600 >deaths.txt &
dump_victim=$!
until_true 60 has_tables short_lived dump_victim || fail "their tables are there: $(cat list.txt)"
until_true 120 lived $(($(wc -l <lives.txt) + 100)) || fail "a hundred processes live and die: $(wc -l <lives.txt)"
until_true 120 dumped $(($(wc -l <deaths.txt) + 10)) || fail "ten dump core: $(tail -n 3 deaths.txt)"
end r $recorder lost:5 samples:short_lived:200 complete:short_lived:90 processes:short_lived:80 \
	chain:short_lived:work_recurse:main samples:dump_victim:100 complete:dump_victim:90 processes:dump_victim:10 \
	chain:dump_victim:abort:die_below chain:dump_victim:die_below:main
for process in $short_lived $dump_victim; do halt "$process"; done
echo 0 >$ARMED
for process in $short_lived $dump_victim; do kill -CONT "$process"; done
begin without -a -F 999
until_true 120 lived $(($(wc -l <lives.txt) + 100)) || fail "a hundred processes more live and die: $(wc -l <lives.txt)"
until_true 120 dumped $(($(wc -l <deaths.txt) + 10)) || fail "ten more dump core: $(tail -n 3 deaths.txt)"
end without $recorder
kill $short_lived $dump_victim
wait $short_lived $dump_victim || true
echo 1 >$ARMED
PYTHONPATH=$CASES python3 -c 'import report
lost = {}
for hook, path in ("on", "r.json"), ("off", "without.json"):
    r = report.Report(path)
    lost[hook] = r.lost["exit"]
    print(f"figure: exit \"exit hook={hook}\" stacks={r.requested} lost={lost[hook]}")
assert lost["off"] > 5 * lost["on"], lost' || fail "stacks are lost without the probes"

cp $PROGRAMS/dump_victim deep_dump
: >deaths.txt
./deep_dump 3600 1000 >deaths.txt &
deep_dump=$!
begin deep -a -F 999 --max-depth 2048
until_true 60 has_tables deep_dump || fail "its table is there: $(cat list.txt)"
until_true 120 dumped $(($(wc -l <deaths.txt) + 10)) || fail "ten deep ones dump core: $(tail -n 3 deaths.txt)"
end deep $recorder samples:deep_dump:100 stop:deep_dump:depth:5 chain:deep_dump:abort:die_below
kill $deep_dump
