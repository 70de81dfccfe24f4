# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A thread that is sampled does not wait for a sibling that keeps the lock of their memory map, and the module can be removed
# meanwhile. Nobody waits for whoever registers a section while a lock of a file that he has mapped is held.
# Expected: 15 s
. ./lib.sh

insert_module
$PROGRAMS/map_lock 2 >lock.txt || fail "nobody waits: $(cat lock.txt)"
cat lock.txt
insert_module
$PROGRAMS/cut_lock 3 >cut.txt || fail "nobody waits for a file of others: $(cat cut.txt)"
cat cut.txt
