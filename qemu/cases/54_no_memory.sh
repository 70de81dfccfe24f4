# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Each allocation and copy that a call to the module makes fails in turn. Each failure has an errno, or the call does without;
# nothing is left behind, and afterwards all works as before.
# Expected: 120 s
# Needs: /sys/kernel/debug/failslab
. ./lib.sh
. "$CASES/faults.sh"

works "before"
prepare_faults
want "each allocation may fail" $PROGRAMS/no_memory
works "after single failures"

until_true 20 no_tables || fail "nobody leaves tables: $(uwind list)"
remove_module "after failures"
insert_module
works "with the module anew"
