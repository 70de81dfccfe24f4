# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Allocations that the kernel is made to fail (fault injection). Sourced after lib.sh.

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

# Every request since the module was loaded has its answer or its loss.
balanced() {
	uwind status >status.txt || fail "uwind status"
	awk '$1 == "requested" { asked = $2 } $1 == "answered" || $1 ~ /^lost\./ { had += $2 } END { exit asked != had }' status.txt
}

works() { # WHEN
	want "$1, a command is recorded" uwind record -F 499 -o works.json -- "$PROGRAMS/sframe_victim" 4
	rules works.json schema balance samples:sframe_victim:100 complete:sframe_victim:90 chain:sframe_victim:work_recurse:main
	until_true 20 balanced || fail "$1, requested = answered + lost: $(cat status.txt)"
}
