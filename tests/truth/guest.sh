#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest: programs instruction by instruction, and stock programs against gdb.
#
# Usage: guest.sh STACKS [PROGRAM]...     STACKS: of each program
set -e
cd /root
stacks=$1
shift
# An exclusive load and store are never one step apart: without atomic instructions, a stepped program waits forever.
if grep -q atomics /proc/cpuinfo; then
	for program in steps_victim steps_victim_signed; do
		echo "== $program"
		./truth_step programs/$program
	done
	echo "== steps_victim_sframe"
	./truth_step --method sframe-v1 programs/steps_victim_sframe
	for method in sframe-v2 sframe-v3; do
		echo "== $method"
		./truth_step --method $method $method/steps_victim
	done
fi
TRUTH_PROGRAMS=/root/programs truth/stock_programs.py /root/truth_walk "$stacks" "$@"
