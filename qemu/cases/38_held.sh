# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# With delays that only a test build of the module has: a task that is held inside it keeps nobody waiting, and what is
# held before it is sent reaches no other socket than the reader's.
# Needs: /root/stall/uwind.ko
# Expected: 35 s; ATTACK=10 is for how many seconds others try to become the reader
. ./lib.sh

remove_module "before"
MODULE_FILE=$DELAYED_MODULE
insert_module
$PROGRAMS/held_check 4 >held.txt || fail "nobody waits: $(cat held.txt)"
grep point held.txt
$PROGRAMS/reader_attack "${ATTACK:-10}" 61003 >attack.txt || fail "stacks are the reader's: $(cat attack.txt)"
grep rounds attack.txt
