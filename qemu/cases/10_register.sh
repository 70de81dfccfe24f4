# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Tables are made from .sframe sections and from .eh_frame, are listed while somebody holds them, and go with their owner.
# Expected: 15 s
. ./lib.sh

want "the command accepts the section of a file" uwind table check $PROGRAMS/sframe_victim
want "the command lowers .eh_frame" uwind table stat /bin/sh >stat.txt
uwind table dump $PROGRAMS/sframe_victim >dump.txt || fail "table dump"
[ "$(wc -l <dump.txt)" -gt 10 ] || fail "a dump has a line per row"

$PROGRAMS/sframe_victim 600 &
victim=$!
begin r -F 199 -p $victim
until_true "$PATIENCE" has_tables sframe_victim libc.so || fail "the victim's and the C library's tables are listed: $(cat list.txt)"
grep sframe_victim list.txt | grep -q sframe-v1 || fail "the victim's table comes from its SFrame section: $(cat list.txt)"
end r $recorder table:sframe_victim:sframe-v1 table:libc.so:eh_frame method:sframe_victim:sframe
kill $victim
uwind list >list.txt || fail "uwind list"
! grep -q sframe_victim list.txt || fail "tables go with their owner: $(cat list.txt)"
