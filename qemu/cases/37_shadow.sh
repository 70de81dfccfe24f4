# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Programs with a shadow stack, the processor's own copy of return addresses: every walk is compared with it. All agree, in signal
# handlers, across them and while they begin and end, too; a return address that has been overwritten ends the stack, and what it leads
# to is not shown.
# Expected: 20 s
# Feature: gcs
. ./lib.sh

# compared VERB RATE WALKS RULE...: a recording of that program, until so many walks have been compared.
compared() {
	verb=$1 rate=$2 walks=$3
	shift 3
	$PROGRAMS/shadow_victim "$verb" 600 &
	victim=$!
	before=$(status_of shadow_checked)
	begin "$verb" -F "$rate" -p $victim
	until_true 60 checked $((before + walks)) || fail "$verb: walks are compared: $(status_of shadow_checked)"
	end "$verb" $recorder "samples:$verb:500" "$@"
	kill $victim
}

checked() { [ "$(status_of shadow_checked)" -ge "$1" ]; }

differ=$(status_of stops.shadow_stack)
compared honest 999 500 complete:honest:99 chain:honest:work_recurse:be_honest chain:honest:work_compare:be_honest \
	chain:honest:on_signal:main method:shadow_victim:sigframe
compared signalled 4999 10000 complete:signalled:99 chain:signalled:raise:be_signalled
[ "$(status_of stops.shadow_stack)" = "$differ" ] || wrong "no stack differs from the shadow stack: $(cat honest.log signalled.log)"

compared liar 999 500 stop:liar:shadow_stack:99 chain:liar:work_recurse:lie chain:liar:lie:be_a_liar
! grep -q '"innocent"' liar.json || wrong "what was never called is in no stack"
