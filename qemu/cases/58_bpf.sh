# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# BPF programs, of tracing and a kprobe, ask for a stack at each system call of a process, and print cookies: each of them is in
# the recording, with the stack of that thread, from the call to main().
# Expected: 50 s, and 15 where no program has to be attached anew, which takes 30 each time
# Needs: /sys/kernel/btf/uwind
. ./lib.sh

CALLS=500

begin r -e requests -a
$PROGRAMS/asker /dev/null x 1000000000 >asker.txt &
asker=$!

# ask PROGRAM TIMES: the cookies in PROGRAM.txt. The asker runs only while the program is attached: else the patched text may
# stay as it was, and nobody calls the program until it is attached anew.
ask() {
	for attached in 1 2 3 4 5; do
		halt $asker
		if timeout -s KILL 30 /root/bpf_cookies /root/cookies.bpf.o "$1" $asker "$2" >"$1.txt"; then
			[ $attached = 1 ] || echo "$1: attached $attached times"
			return
		fi
	done
	fail "$1 is loaded, called and asks"
}

# Each table shows which is needed next.
for _ in $(seq 100); do
	ask by_tracepoint 20
	! has_tables asker libc.so.6 || break
done
has_tables asker libc.so.6 || fail "the tables are there: $(cat list.txt)"

for program in by_tracepoint by_kprobe; do
	ask $program $CALLS
	[ "$(wc -l <$program.txt)" = $CALLS ] || fail "$program: there are $CALLS cookies: $(wc -l <$program.txt)"
done
end r $recorder
kill -KILL $asker
uwind report -i r.json --format cookies >stacks.txt
sort stacks.txt >answered.txt
for program in by_tracepoint by_kprobe; do
	sort $program.txt | join - answered.txt >joined.txt
	[ "$(wc -l <joined.txt)" = $CALLS ] || fail "$program: each cookie has its stack: $(wc -l <joined.txt) of $CALLS"
	# COOKIE TID TID FOLDED
	whole=$(awk -v pid=$asker '$2 == pid && $3 == pid && $4 ~ /;main;ask_below;.*;ask;/' joined.txt | wc -l)
	[ "$whole" -ge $((CALLS * 99 / 100)) ] || fail "$program: stacks lead from main() to the call: $whole of $CALLS: $(head -n 3 joined.txt)"
	echo "$program: $whole of $CALLS stacks lead from main() to the call"
done
