# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Nobody special registers sections of its own memory: every rule of the open device, and stacks that come out complete.
# Expected: 20 s
. ./lib.sh

chmod 755 "$WORK"
cp $PROGRAMS/self_register .
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
want "the rules hold for nobody" as_nobody ./self_register check
want "the rules hold for root" ./self_register check
cp $PROGRAMS/windows_check .
as_nobody ./windows_check timer >timer.txt || fail "signals do not keep anybody from registering: $(cat timer.txt)"
dmesg | grep -q 'uwind: self_register\[[0-9]*\]: .sframe section in memory at 0x[0-9a-f]* is refused: byte [0-9]*: ' ||
	fail "the log names who offered a broken section: $(dmesg | grep uwind: | tail -n 3)"
missed=$(status_of children_missed)
[ "$(as_nobody ./self_register crowded)" = '1 of 1, the child 0' ] || fail "a child of many mappings inherits nothing"
[ "$(status_of children_missed)" -gt "$missed" ] || fail "and that is counted: $missed before, and now"
# Names are the user's choice: they make no lines of their own, and say nothing in another's.
forged=$(printf 'x\nuwind: forged\033')
cp self_register "$forged"
head -c 4096 /dev/zero >"file$forged"
want "a broken section in a file" as_nobody "./$forged" broken "file$forged"
dmesg | grep -q 'x.nuwind: forged.*\[[0-9]*\]: .sframe section of .*filex.nuwind: forged.* is refused: ' ||
	fail "names are escaped in the log: $(dmesg | grep forged)"
! dmesg | grep forged | grep -qv 'is refused: ' || fail "a name makes a line of its own: $(dmesg | grep forged)"
want_status "nobody may not record" 77 as_nobody uwind record --duration 1 -o /tmp/nobody.json -- true

setpriv --reuid=65534 --regid=65534 --clear-groups ./self_register work 600 &
victim=$!
begin r -F 199 -p $victim
before=$(status_of requested)
until_true "$PATIENCE" asked $((before + 300)) || fail "its stacks are asked for: $(uwind status)"
end r $recorder samples:self_register:100 complete:self_register:90 chain:self_register:work_recurse:main
kill $victim
