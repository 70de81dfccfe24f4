# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Programs with a shadow stack, the processor's own copy of return addresses: every walk is compared with it. All agree, in signal
# handlers and across them, too; a return address that has been overwritten ends the stack, and what it leads to is not shown.
# Expected: 15 s
# Feature: gcs
. ./lib.sh

# compared VERB RULE...: a recording of that program, and the number of walks that were compared.
compared() {
	verb=$1
	shift
	$PROGRAMS/shadow_victim "$verb" 600 &
	victim=$!
	before=$(status_of shadow_checked)
	begin "$verb" -F 999 -p $victim
	until_true 60 checked $((before + 500)) || fail "$verb: walks are compared: $(status_of shadow_checked)"
	end "$verb" $recorder "samples:$verb:500" "$@"
	kill $victim
}

checked() { [ "$(status_of shadow_checked)" -ge "$1" ]; }

differ=$(status_of stops.shadow_stack)
compared honest complete:honest:99 chain:honest:work_recurse:be_honest chain:honest:work_compare:be_honest \
	chain:honest:on_signal:main method:shadow_victim:sigframe
[ "$(status_of stops.shadow_stack)" = "$differ" ] || fail "no stack differs from the shadow stack: $(cat honest.log)"

compared liar stop:liar:shadow_stack:99 chain:liar:work_recurse:lie chain:liar:lie:be_a_liar
! grep -q '"innocent"' liar.json || fail "what was never called is in no stack"
