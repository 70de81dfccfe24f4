# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Code that a program has written itself has no table: its frame pointer is followed, and at its ends, where that is the
# caller's, its instructions are read.
# Expected: 8 s
. ./lib.sh

want "a program that writes code is recorded" uwind record -F 499 -o jit.json -- "$PROGRAMS/jit_victim" 4
rules jit.json schema balance samples:jit_victim:100 complete:jit_victim:95 bottom:jit_victim called:jit_victim:call_often:98
