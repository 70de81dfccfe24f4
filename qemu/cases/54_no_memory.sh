# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Each allocation and copy that a call to the module makes fails in turn. Each failure has an errno, or the call does without;
# nothing is left behind, and afterwards all works as before.
# Expected: 120 s
# Needs: /sys/kernel/debug/failslab
. ./lib.sh

KINDS="failslab fail_page_alloc fail_usercopy"

# fault KEY VALUE: of every kind of failure that has such a key.
fault() {
	for kind in $KINDS; do
		[ ! -e "/sys/kernel/debug/$kind/$1" ] || echo "$2" >"/sys/kernel/debug/$kind/$1" || fail "$kind/$1 = $2"
	done
}

# Without a word: each failure would be traced on the console.
prepare_faults() {
	fault verbose 0
	fault min-order 0
	fault ignore-gfp-highmem N
	fault ignore-gfp-wait N
}

balanced() {
	uwind status >status.txt || fail "uwind status"
	awk '$1 == "requested" { asked = $2 } $1 == "answered" || $1 ~ /^lost\./ { had += $2 } END { exit asked != had }' status.txt
}

works() { # WHEN
	want "$1, a command is recorded" uwind record -F 499 -o works.json -- $PROGRAMS/sframe_victim 4
	rules works.json schema balance samples:sframe_victim:100 complete:sframe_victim:90 chain:sframe_victim:work_recurse:main
	until_true 20 balanced || fail "$1, requested = answered + lost: $(cat status.txt)"
}

works "before"
prepare_faults
want "each allocation may fail" $PROGRAMS/no_memory
works "after single failures"

until_true 10 [ "$(status_of tables)" = 0 ] || fail "nobody leaves tables: $(uwind list)"
remove_module "after failures"
insert_module
works "with the module anew"
