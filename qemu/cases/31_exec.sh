# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A process that executes itself again and again: new images have complete stacks, and every request has an answer or a cause.
# Expected: 8 s
. ./lib.sh

want "an executing command is recorded" uwind record -F 499 -o r.json -- $PROGRAMS/exec_victim 6
rules r.json schema balance samples:exec_victim:50 complete:exec_victim:90 chain:exec_victim:work_recurse:main
