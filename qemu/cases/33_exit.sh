# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Processes that live for ten milliseconds, in a recording of everything: they have names and complete stacks.
# Expected: 10 s
. ./lib.sh

$PROGRAMS/short_lived 60 &
victim=$!
want "everything is recorded" uwind record -a -F 999 --duration 6 -o r.json
kill $victim
rules r.json schema balance samples:short_lived:200 complete:short_lived:90 processes:short_lived:20 \
	chain:short_lived:work_recurse:main
