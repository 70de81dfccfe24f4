# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Every input that the contract refuses is refused, with the errno that it names; and whoever is killed while a large one is
# read is gone at once.
# Expected: 25 s; KILLED='8 100': a table of 8 MiB, and milliseconds in which who is killed is gone
. ./lib.sh

$PROGRAMS/ioctl_check >checks.txt || fail "the contract holds: $(grep -v "^ok" checks.txt)"
[ "$(grep -c "^ok" checks.txt)" -gt 150 ] || fail "every rule was tried"
$PROGRAMS/counters_check >counters.txt || fail "lists of counters are checked: $(grep -v "^ok" counters.txt)"
# shellcheck disable=SC2086  # two numbers
$PROGRAMS/killed_check ${KILLED:-} >killed.txt || fail "whoever is killed goes: $(cat killed.txt)"
grep after killed.txt
uwind list >list.txt || fail "uwind list"
! grep -q ioctl_check list.txt || fail "what the test made has gone with it: $(cat list.txt)"
