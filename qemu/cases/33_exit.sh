# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Processes that live for ten milliseconds, and such that dump core, in a recording of everything: they have names and complete
# stacks. What is asked for while the kernel writes a core is answered, too: it was walked before the memory went, up to a depth.
# Expected: 40 s
. ./lib.sh

trap 'echo "$pattern" >/proc/sys/kernel/core_pattern; clean_up' EXIT
pattern=$(cat /proc/sys/kernel/core_pattern)
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
kill $short_lived $dump_victim
PYTHONPATH=$CASES python3 -c 'import report
r = report.Report("r.json")
print("figure: exit \"exit hook=on\"", f"stacks={r.requested}", "lost=%d" % r.lost["exit"])'

cp $PROGRAMS/dump_victim deep_dump
: >deaths.txt
./deep_dump 3600 1000 >deaths.txt &
deep_dump=$!
begin deep -a -F 999 --max-depth 2048
until_true 60 has_tables deep_dump || fail "its table is there: $(cat list.txt)"
until_true 120 dumped $(($(wc -l <deaths.txt) + 10)) || fail "ten deep ones dump core: $(tail -n 3 deaths.txt)"
end deep $recorder samples:deep_dump:100 stop:deep_dump:depth:5 chain:deep_dump:abort:die_below
kill $deep_dump
