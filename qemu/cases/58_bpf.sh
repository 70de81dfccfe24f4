# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A BPF program asks for a stack at each system call of a process, and prints cookies: each of them is in the recording, with the
# stack of that thread, from the call to main().
# Expected: 15 s
# Needs: /sys/kernel/btf/uwind
. ./lib.sh

CALLS=500

uwind record -e requests -a --duration 300 -o r.json >record.log 2>&1 &
recorder=$!
until_true 30 is_sampling || fail "record waits for requests: $(cat record.log)"
$PROGRAMS/asker /dev/null x 1000000000 >asker.txt &
asker=$!
kill -STOP $asker
ask() { want "the program is loaded and asks" /root/bpf_cookies /root/cookies.bpf.o $asker "$1"; }
# Each table shows which is needed next.
asked_with_tables() { ask 20 >first.txt && has_tables asker libc.so.6; }
until_true 60 asked_with_tables || fail "the tables are there: $(cat list.txt)"
ask $CALLS >cookies.txt
kill -TERM $recorder
wait $recorder || fail "requests are recorded: $(cat record.log)"
kill -KILL $asker
[ "$(wc -l <cookies.txt)" = $CALLS ] || fail "there are $CALLS cookies: $(wc -l <cookies.txt)"
uwind report -i r.json --format cookies >stacks.txt
sort cookies.txt >asked.txt
sort stacks.txt | join asked.txt - >joined.txt
[ "$(wc -l <joined.txt)" = $CALLS ] || fail "each cookie has its stack: $(wc -l <joined.txt) of $CALLS; $(tail -n 1 record.log)"
# COOKIE TID NUMBER TID FOLDED
whole=$(awk -v pid=$asker '$2 == pid && $4 == pid && $5 ~ /;main;ask_below;.*;ask;/' joined.txt | wc -l)
[ "$whole" -ge $((CALLS * 99 / 100)) ] || fail "stacks lead from main() to the call: $whole of $CALLS: $(head -n 3 joined.txt)"
rules r.json schema balance
echo "$whole of $CALLS stacks lead from main() to the call; $(tail -n 1 record.log)"
