# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Random calls of a privileged user, of an ordinary one and of one who may open the device, with memory, descriptors and processes that come and go under them.
# Others' stacks do not suffer; afterwards nothing is left of it, every request is accounted for, and the module works and unloads.
# Expected: 60 s; more CALLS are the long version
. ./lib.sh

# While no session runs, what was asked is answered or lost.
is_balanced() {
	uwind status | awk '/^requested/ { left = $2 } /^answered/ { left -= $2 } /^lost\./ { left -= $2 } END { exit left != 0 }'
}

# The attackers ask about any process. One that sleeps answers when it goes on: a stop wakes it.
wake_all() {
	for pid in $(ps -eo pid=); do
		[ "$pid" = $$ ] || { kill -STOP "$pid" && kill -CONT "$pid"; } 2>/dev/null || true
	done
}

is_quiet() { [ "$(status_of sessions)" = 0 ] && [ "$(status_of requests_open)" = 0 ] && [ "$(status_of tables)" = 0 ]; }

insert_module
$PROGRAMS/sframe_victim 3600 &
bystander=$!
begin bystander -F 199 -p $bystander
$PROGRAMS/attack "${CALLS:-50000}" ${SEED:+"$SEED"} </dev/null >attack.txt || fail "the attack keeps its own rules: $(grep -av succeeded attack.txt)"
cat attack.txt
end bystander $recorder samples:sframe_victim:50 complete:sframe_victim:95
kill $bystander
wake_all
until_true "$PATIENCE" is_quiet || fail "the attackers leave nothing: $(uwind status; ps -eo pid,ppid,user,stat,wchan:24,args)"
want "every request is answered or lost" is_balanced
$PROGRAMS/sframe_victim 3600 &
victim=$!
begin after -F 199 -p $victim
before=$(status_of requested)
until_true "$PATIENCE" asked $((before + 300)) || fail "afterwards stacks are asked for: $(uwind status)"
end after $recorder samples:sframe_victim:100 complete:sframe_victim:95
kill $victim
remove_module afterwards
insert_module
