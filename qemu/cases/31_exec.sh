# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A process that executes itself again and again: new images have complete stacks, and every request has an answer: what is open
# when the memory goes was walked before. So it is where processes live for a few milliseconds, of a shell's commands.
# Expected: 20 s
. ./lib.sh

want "an executing command is recorded" uwind record -F 499 -o r.json -- $PROGRAMS/exec_victim "$(seconds 6)"
rules r.json schema balance samples:exec_victim:50 complete:exec_victim:90 chain:exec_victim:work_recurse:main

# little_lost_to_exec REPORT NAME: of a thousand requests at most one is answered with the loss exec.
little_lost_to_exec() {
	PYTHONPATH=$CASES python3 -c 'import report, sys
r = report.Report(sys.argv[1])
print("figure: exec", f"recording={sys.argv[2]}", f"stacks={r.requested}", "lost=%d" % r.lost["exec"])
sys.exit(r.lost["exec"] > r.requested / 1000)' "$1" "$2"
}
want "what a process executes itself from is walked" little_lost_to_exec r.json itself

begin storm -a -F 4999
timeout "$(seconds 2)" sh -c 'while :; do /bin/true; done' || true
# What was walked before is the shell's, though its record is made when the thread has the command's name.
end storm $recorder lost:1 samples:true:50 chain:sh:dash+:dash+ never:true:dash+:dash+
want "what a shell executes commands from is walked" little_lost_to_exec storm.json storm
