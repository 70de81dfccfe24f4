# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A program that begins while all is recorded has no tables at first. Its stacks are finished when they are there, and are those that
# the module finds with them. Nobody gets bytes of stacks who did not ask for them, or has no CAP_SYS_PTRACE; who does gets a part.
# Expected: 35 s
. ./lib.sh

insert_module
$PROGRAMS/unfinished_check >checked.txt || fail "what comes with samples that lack a table: $(cat checked.txt)"
cat checked.txt

# As root, but for one capability.
cat >without_ptrace.py <<'PYTHON'
import ctypes, os, sys
PR_CAPBSET_DROP, CAP_SYS_PTRACE = 24, 19
if ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE, 0, 0, 0):
    sys.exit("the capability cannot be dropped")
os.execvp(sys.argv[1], sys.argv[1:])
PYTHON

# recorded RULES NAME OPTION...: a program that begins while whoever makes tables is stopped.
recorded() {
	wanted=$1
	shift
	begin "$@" -a -F 499 --table-cache none
	kill -STOP $recorder
	$PROGRAMS/deep_victim same 20 2 &
	victim=$!
	sleep 0.2
	kill -CONT $recorder
	wait $victim
	# shellcheck disable=SC2086
	end "$1" $recorder samples:same:100 $wanted
}

recorded "finished_later:same:20 alike:same:deep_work complete:same:99" late
recorded never_later none --stack-bytes 0
with="python3 without_ptrace.py"
recorded never_later refused
