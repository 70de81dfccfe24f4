# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A program that begins while all is recorded has no tables at first. Its stacks are finished when they are there, and are those that
# the module finds with them. Nobody gets bytes of stacks who did not ask for them, or has no CAP_SYS_PTRACE; who does gets a part.
# Expected: 45 s
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

# computed: the hundredths of a second for which the victim has computed. In each it is sampled about five times.
computed() { awk '{ print $14 }' "/proc/$victim/stat"; }
has_computed() { [ "$(computed)" -ge "$1" ]; }

# recorded RULES NAME OPTION...: a program that begins while the recorder, which makes the tables, is stopped. The program computes
# without tables, goes on with them, and lives until the report is written.
recorded() {
	wanted=$1
	shift
	begin "$@" -a -F 499 --table-cache none
	halt $recorder
	$PROGRAMS/deep_victim same 20 3600 &
	victim=$!
	until_true "$PATIENCE" has_computed 50 || fail "$1: the program computes: $(computed)"
	kill -CONT $recorder
	until_true "$PATIENCE" has_tables deep_victim libc.so || fail "$1: its tables are there: $(cat list.txt)"
	until_true "$PATIENCE" has_computed $(($(computed) + 150)) || fail "$1: it computes with tables: $(computed)"
	# shellcheck disable=SC2086
	end "$1" $recorder samples:same:100 $wanted
	kill $victim
	wait $victim 2>/dev/null || true # the status of a signal
}

recorded "finished_later:same:20 alike:same:deep_work complete:same:99" late
recorded never_later none --stack-bytes 0
with="python3 without_ptrace.py"
recorded never_later refused
