#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest: programs instruction by instruction, and stock programs against gdb.
#
# Usage: guest.sh STACKS [PROGRAM]...     STACKS: of each program
set -e
cd /root
export TRUTH_KEEP=/out
stacks=$1
shift
# An exclusive load and store are never one step apart: without atomic instructions, a stepped program waits forever.
if grep -q atomics /proc/cpuinfo; then
	for program in steps_victim steps_victim_signed; do
		echo "== $program"
		./truth_step programs/$program
	done
fi
TRUTH_PROGRAMS=/root/programs truth/stock_programs.py /root/truth_walk "$stacks" "$@"
