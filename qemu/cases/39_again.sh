# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What earlier walks have left changes nothing: each walk of programs that rewrite their stacks, jump out of frames, change stacks,
# throw, get signals, fork, execute, load libraries and unload them, and map one over another is taken again without it.
# Expected: 55 s
# Needs: /root/stall/uwind.ko
. ./lib.sh

remove_module "before"
MODULE_FILE=$DELAYED_MODULE
insert walk_again=0
parameter() { cat "/sys/module/uwind/parameters/$1"; }

# Tables that come while a task is walked are not what this is about.
victims=
for victim in rewrite_victim dlopen_victim remap_victim threads_victim fork_victim exec_victim; do
	$PROGRAMS/$victim 3600 >/dev/null &
	victims="$victims $!"
done
begin again -a -F 2999
until_true 60 has_tables rewrite_victim dlopen_victim threads_victim fork_victim exec_victim plugin.so || fail "their tables are there: $(cat list.txt)"
echo 1 >/sys/module/uwind/parameters/walk_again
enough() { [ "$(parameter again_walks)" -ge "${WALKS:-10000}" ]; }
until_true 300 enough || fail "enough is walked again: $(parameter again_walks)"
echo 0 >/sys/module/uwind/parameters/walk_again
for victim in $victims; do kill "$victim"; done
end again $recorder samples:rewrite_victim:200 chain:rewrite_victim:jumper:main chain:rewrite_victim:thrower:main \
	chain:rewrite_victim:left:coroutine chain:rewrite_victim:right:interrupted
echo "walked again: $(parameter again_walks), of which along a trail to its end: $(parameter again_followed)"
[ "$(parameter again_followed)" -ge $(($(parameter again_walks) / 4)) ] || fail "many of them had met their trail"
[ "$(parameter again_differ)" = 0 ] || fail "each finds the same: $(dmesg | grep 'walked again' | tail -n 5)"
