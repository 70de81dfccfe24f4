# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Processes that live for ten milliseconds, in a recording of everything: they have names and complete stacks.
# Expected: 15 s
. ./lib.sh

# So many have lived in all.
lived() { [ "$(wc -l <lives.txt)" -ge "$1" ]; }

uwind record -a -F 999 --duration 300 -o r.json >record.log 2>&1 &
recorder=$!
until_true 30 is_sampling || fail "record samples: $(cat record.log)"
$PROGRAMS/short_lived 3600 >lives.txt &
victim=$!
until_true 60 has_tables short_lived || fail "its table is there: $(cat list.txt)"
until_true 120 lived $(($(wc -l <lives.txt) + 100)) || fail "a hundred processes live and die: $(wc -l <lives.txt)"
kill -TERM $recorder
wait $recorder || fail "everything is recorded: $(cat record.log)"
kill $victim
rules r.json schema balance samples:short_lived:200 complete:short_lived:90 processes:short_lived:80 \
	chain:short_lived:work_recurse:main
