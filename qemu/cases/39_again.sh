# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What earlier walks have left changes nothing: each walk of programs that rewrite their stacks, jump out of frames, change stacks,
# throw, get signals, fork, execute, load libraries and unload them, and map one over another is taken again without it.
# Where trails are of little use, walks go along one nevertheless.
# Expected: 60 s
# Needs: /root/stall/uwind.ko
. ./lib.sh

remove_module "before"
MODULE_FILE=$DELAYED_MODULE
insert walk_again=0 trail_pause=0
parameter() { cat "/sys/module/uwind/parameters/$1"; }

# Tables that come between two walks are not what this is about: only these are recorded, and they have theirs.
victims=
pids=
for victim in rewrite_victim dlopen_victim remap_victim threads_victim fork_victim exec_victim; do
	$PROGRAMS/$victim 3600 >/dev/null &
	victims="$victims $!"
	pids="$pids -p $!"
done
# shellcheck disable=SC2086  # words
begin again $pids -F 2999
files="rewrite_victim dlopen_victim plugin.so remap_victim remap_first.so remap_second.so threads_victim fork_victim exec_victim libc.so.6 libstdc++.so.6 libgcc_s.so.1"
# shellcheck disable=SC2086  # words
until_true 60 has_tables $files || fail "their tables are there: $(cat list.txt)"
echo 1 >/sys/module/uwind/parameters/walk_again
enough() { [ "$(parameter again_walks)" -ge "${WALKS:-10000}" ]; }
until_true 300 enough || fail "enough is walked again: $(parameter again_walks)"
echo 0 >/sys/module/uwind/parameters/walk_again
for victim in $victims; do kill "$victim"; done
end again $recorder samples:rewrite_victim:200 chain:rewrite_victim:jumper:main chain:rewrite_victim:thrower:main \
	chain:rewrite_victim:left:coroutine chain:rewrite_victim:right:interrupted
echo "walked again: $(parameter again_walks), of which along a trail to its end: $(parameter again_followed)"
[ "$(parameter again_followed)" -ge $(($(parameter again_walks) / 4)) ] || fail "many of them had met their trail"
[ "$(parameter again_differ)" = 0 ] || wrong "each finds the same: $(dmesg | grep 'walked again' | tail -n 5)"
