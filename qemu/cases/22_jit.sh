# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Code that a program has written itself has no table: its frame pointer is followed, and at its ends, where that is the
# caller's, its instructions are read. A mapping of code that grows in place is looked at again when it has grown, and not
# in each sample for ever.
# Expected: 14 s
. ./lib.sh

want "a program that writes code is recorded" uwind record -F 499 -o jit.json -- "$PROGRAMS/jit_victim" 4
rules jit.json schema balance samples:jit_victim:100 complete:jit_victim:95 bottom:jit_victim called:jit_victim:call_often:98

said_still() { grep -q still grow.txt; }
count_calls uwind:uw_range_set_replace
uwind record -F 999 -o grow.json -- "$PROGRAMS/jit_victim" grow 6 >grow.txt 2>grow.log &
recorder=$!
until_true 60 said_still || fail "its code grows for a while: $(cat grow.txt grow.log)"
sleep 0.5
while_still=$(calls)
wait $recorder || fail "a program whose code grows is recorded: $(cat grow.log)"
while_still=$(($(calls) - while_still))
count_no_calls
rules grow.json schema balance samples:jit_victim:100
[ $while_still -lt 30 ] || fail "code that grows no more is known: in 2.5 s it was met anew $while_still times"
echo "grow: met anew $while_still times after it had grown"
