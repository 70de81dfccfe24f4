# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A program is stopped, walked by the core in user space, asked for, and goes on by one instruction: the module says the same.
# Expected: 25 s for 40 stops each of two programs; STOPS=500 is the long version
. ./lib.sh

# same FILE COMMAND...: while another process runs the command, so that its tables are there. FILE is what it executes.
same() {
	file=$1
	shift
	"$@" &
	other=$!
	until_true "$PATIENCE" has_tables "$file" libc.so ld-linux || fail "its tables are there: $(cat list.txt)"
	kill -STOP $other
	want "the module's record is the core's" /root/truth_kernel "${STOPS:-40}" "$@"
	kill -KILL $other
}

insert_module
mkdir reports
uwindd --interval 3600 --dir reports >daemon.log 2>&1 &
daemon=$!
until_true "$PATIENCE" is_sampling || fail "uwindd samples: $(cat daemon.log)"
same sframe_victim $PROGRAMS/sframe_victim 3600
same python3 python3 -c 'while True: sorted(str(i) for i in range(2000))'
kill -TERM $daemon
wait $daemon || fail "uwindd ends cleanly: $(cat daemon.log)"
