# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A program is stopped, walked by the core in user space, asked for, and goes on by one instruction: the module says the same.
# Expected: 25 s for 40 stops each of two programs; STOPS=500 is the long version
. ./lib.sh

insert_module
mkdir reports
uwindd --interval 3600 --dir reports >daemon.log 2>&1 &
daemon=$!
until_true 30 is_sampling || fail "uwindd samples: $(cat daemon.log)"
stops=${STOPS:-40}
want "the module's record is the core's" /root/truth_kernel "$stops" $PROGRAMS/sframe_victim 600
want "the module's record is the core's" /root/truth_kernel "$stops" python3 -c 'while True: sorted(str(i) for i in range(2000))'
kill -TERM $daemon
wait $daemon || fail "uwindd ends cleanly: $(cat daemon.log)"
