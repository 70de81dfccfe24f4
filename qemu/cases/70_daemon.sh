# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# The service writes reports at its interval, ends on SIGTERM, and leaves nothing in the kernel even when it is killed.
# Expected: 25 s
. ./lib.sh

$PROGRAMS/sframe_victim 300 &
victim=$!
uwindd --interval 2 --dir "$WORK/reports" &
daemon=$!
two_reports() { [ "$(find "$WORK/reports" -name '*.json' 2>/dev/null | wc -l)" -ge 2 ]; }
until_true $PATIENCE two_reports || fail "a report appears every two seconds: $(ls -l "$WORK/reports")"
sampled() { one_keeps "$WORK/reports" schema samples:sframe_victim:20; }
until_true $PATIENCE sampled || sampled || fail "what runs is in a report"
kill -TERM $daemon
want_status "the service ends well on SIGTERM" 0 wait $daemon
[ "$(stat -c %a "$WORK/reports")" = 750 ] || fail "the folder of reports is closed to others"
uwind list >list.txt || fail "uwind list"
! grep -q sframe_victim list.txt || fail "no tables are left behind: $(cat list.txt)"

uwindd --interval 2 --dir "$WORK/reports" &
daemon=$!
listed() { uwind list | grep -q sframe_victim; }
until_true $PATIENCE listed || fail "the service registers what runs"
kill -KILL $daemon
wait $daemon 2>/dev/null
kill $victim
unlisted() { ! listed; }
until_true $PATIENCE unlisted || fail "no tables are left behind by a killed service: $(uwind list)"
remove_module "after a killed service"
insert_module
