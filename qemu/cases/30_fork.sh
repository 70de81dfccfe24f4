# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Children of a recorded command are recorded with complete stacks, without anybody registering anything for them.
# Expected: 20 s
. ./lib.sh

want "a forking command is recorded" uwind record -F 499 -o r.json -- $PROGRAMS/fork_victim "$(seconds 6)"
rules r.json schema balance samples:fork_victim:200 complete:fork_victim:90 processes:fork_victim:10 \
	chain:fork_victim:child_work:main bottom:fork_victim

# A session has room for 8,192 processes at a time: those that are gone take none.
want "a command of many children is recorded" uwind record -F 99 -o many.json -- $PROGRAMS/fork_victim 2 9000
rules many.json schema balance chain:fork_victim:child_work:main
