# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Stacks that are not the thread's own: those of coroutines end where these began; one that was gone over to is followed
# to the stack it came from if that lies above, and else the switch is named. A call to nothing is followed to who made it.
# Expected: 30 s
. ./lib.sh

for verb in coroutine fcontext upward downward; do
	want "a program on other stacks is recorded: $verb" uwind record -F 499 -o $verb.json -- "$PROGRAMS/stacks_victim" $verb 3
done
rules coroutine.json schema balance samples:stacks_victim:100 complete:stacks_victim:90 chain:stacks_victim:work_recurse:coroutine
rules fcontext.json schema balance samples:stacks_victim:100 complete:stacks_victim:90 chain:stacks_victim:work_recurse:fcontext_entry
rules upward.json schema balance samples:stacks_victim:100 complete:stacks_victim:90 bottom:stacks_victim chain:stacks_victim:work_recurse:call_on chain:stacks_victim:call_on:main
rules downward.json schema balance samples:stacks_victim:100 stop:stacks_victim:stack_switch:80 chain:stacks_victim:work_recurse:call_on

for verb in here aside; do
	want "a call through a null pointer is recorded in its handler: $verb" uwind record -F 499 -o null.json -- "$PROGRAMS/null_victim" $verb 2
	rules null.json schema balance samples:null_victim:100 complete:null_victim:80 bottom:null_victim chain:null_victim:on_fault:0x0 \
		chain:null_victim:0x0:call_nothing chain:null_victim:work_recurse:main deep:null_victim:20
done
