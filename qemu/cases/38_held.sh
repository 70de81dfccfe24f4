# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# With delays that only a test build of the module has: a task that is held inside it keeps nobody waiting, and what is
# held before it is sent reaches no other socket than the reader's. Nor does a message to the module wait for a call that is held.
# Needs: /root/stall/uwind.ko
# Expected: 35 s; ATTACK=600 is the long version: for so many seconds others try to become the reader
. ./lib.sh

remove_module "before"
MODULE_FILE=$DELAYED_MODULE
insert_module
$PROGRAMS/held_check 4 >held.txt || fail "nobody waits: $(cat held.txt)"
grep point held.txt
echo 8 >/sys/module/uwind/parameters/stall_point # CLIENT_HELD, as kmod/stall.h counts
echo 1000 >/sys/module/uwind/parameters/stall_ms
$PROGRAMS/windows_check attach >attach.txt || fail "nobody's messages wait: $(cat attach.txt)"
echo 0 >/sys/module/uwind/parameters/stall_point
$PROGRAMS/reader_attack "${ATTACK:-10}" 61003 >attack.txt || fail "stacks are the reader's: $(cat attack.txt)"
grep rounds attack.txt
