# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A module asks for stacks of its own, in tasks, softirqs, interrupts and NMIs: each request is answered once, for the right task
# and image, or lost for a cause; what tasks that sleep owe can be taken back, and the module be removed under it.
# Expected: 30 s; REQUESTS=2000 is how many are asked in each context
. ./lib.sh
. "$CASES/rain.sh"

# PREEMPT_RT has no softirqs but in threads; a kernel with KASAN has no NMIs in which work can be queued.
contexts=hardirq
uname -v | grep -q PREEMPT_RT || contexts=$contexts,softirq
[ "$(uname -m)" != x86_64 ] || grep -q ' __asan_load8' /proc/kallsyms || contexts=$contexts,nmi
requests=${REQUESTS:-2000}

# column CONTEXT WORD: the number behind the word. total WORD: the number of a line of its own.
column() { awk -v context="$1" -v word="$2" '$1 == context { for (i = 2; i < NF; i += 2) if ($i == word) print $(i + 1) }' account.txt; }
total() { awk -v word="$1" '$1 == word { print $NF }' account.txt; }
read_account() { cat $ACCOUNT >account.txt; }

kinds() {
	echo "task irq"
	for kind in softirq nmi; do case $contexts in *$kind*) echo $kind ;; esac; done
}

asked_enough() {
	read_account
	for kind in $(kinds); do [ "$(column "$kind" asked)" -ge "$requests" ] || return 1; done
}

# What is answered is counted last.
all_answered() {
	read_account
	[ "$(total open)" = 0 ] || return 1
	for kind in $(kinds); do [ "$(column "$kind" asked)" = "$(column "$kind" answered)" ] || return 1; done
}

is_zero() { for word; do [ "$(total "$word")" = 0 ] || fail "$word is 0: $(cat account.txt)"; done; }

# Of each context: nothing was refused for want of room, and stacks have frames.
balances() {
	for kind in $(kinds); do
		[ "$(column "$kind" nomem)" = 0 ] || fail "$kind: nothing is lost within the supply: $(cat account.txt)"
		[ "$(column "$kind" frames)" -gt "$requests" ] || fail "$kind: stacks have frames: $(cat account.txt)"
	done
	[ "$(column task frames)" -gt $((10 * requests)) ] || fail "below ten calls there are ten frames: $(cat account.txt)"
	is_zero strange twice wrong_task wrong_image cancelled full
}

# A session beside it has the tables, and now and then a part of the same requests.
start_victims threads_victim fork_victim exec_victim
begin r -a -F 49
$PROGRAMS/asker /dev/zero x 1000000000 >first.txt &
first=$!
until_true 60 has_tables asker threads_victim fork_victim exec_victim libc.so.6 || fail "tables are there: $(cat list.txt)"
kill $first
start=$(date +%s)
let_rain contexts=$contexts limit="$requests" period_us="${RAIN:-100}"
# A call that an interrupt was faster than shares its request.
for _ in 1 2; do
	$PROGRAMS/asker $ACCOUNT ask 1000000000 >asker.txt &
	victims="$victims $!"
done
until_true "$((60 + requests / 50))" asked_enough || fail "enough is asked in each context: $(cat account.txt)"
seconds=$(($(date +%s) - start))
# shellcheck disable=SC2086  # words
{
	kill -KILL $victims
	wait $victims 2>/dev/null || true
}
# A thread that was asked on its way to sleep owes until it wakes: the recorder's do as they end.
end r $recorder
until_true 60 all_answered || fail "each request has its answer: $(cat account.txt; ps -eLo pid,tid,stat,wchan:24,comm)"
balances
echo "$seconds s: $(grep -v ' 0$' account.txt | tr '\n' ';')"
want "the module is removed" rmmod uwind_rain

# Those who sleep owe stacks that nobody waits for any more.
sleepers=
let_rain sleepers=1 limit=1000
for _ in 1 2 3 4 5 6 7 8 9 10; do
	sleep 3600 &
	sleepers="$sleepers $!"
done
ten_sleep() { read_account && [ "$(total open)" -ge 10 ]; }
until_true 30 ten_sleep || fail "ten sleep: $(cat account.txt)"
before=$(status_of lost.cancelled)
want "a request is taken back" sh -c "printf cancel >$ACCOUNT"
read_account
[ "$(total cancelled)" = 1 ] || fail "one is cancelled: $(cat account.txt)"
want "the module is removed under those who sleep" rmmod uwind_rain
after=$(status_of lost.cancelled)
[ $((after - ${before:-0})) -ge 10 ] || fail "ten requests are taken back: ${before:-0}, then $after"
# shellcheck disable=SC2086
kill $sleepers
# shellcheck disable=SC2086
wait $sleepers 2>/dev/null || true
remove_module "after all"
insert_module
echo "rmmod took $took ms"
