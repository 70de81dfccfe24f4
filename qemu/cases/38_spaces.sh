# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A crowd of processes that begin and end while they are sampled: whoever looks for one's memory map may be held up beside
# another's that goes, and nothing is registered with the kernel for any of them, which would stop all others.
# /root/stall/uwind.ko, if it is there, is the module built with UWIND_STALL=1, which holds them up.
# Expected: 15 s; CROWD=600: for so many seconds
. ./lib.sh

remove_module "before"
if [ -e $DELAYED_MODULE ]; then
	MODULE_FILE=$DELAYED_MODULE
	insert stall_point=1 stall_ms=5 || fail "insmod $MODULE_FILE"
fi
insert_module
count_calls __mmu_notifier_register
begin crowd -a -F 999
"$PROGRAMS/crowd_victim" "${CROWD:-8}" 96
end crowd $recorder samples:crowd_victim:100 complete:crowd_victim:60 processes:crowd_victim:50
registered=$(calls)
count_no_calls
echo "crowd: $registered notifiers were registered; memory maps that are known: $(status_of spaces)"
[ "$registered" = 0 ] || fail "no notifier is registered for those who are sampled: $registered"
few_spaces() { [ "$(status_of spaces)" -lt 60 ]; }
until_true "$PATIENCE" few_spaces || fail "what is known of those who ended goes: $(status_of spaces)"
remove_module "after"
