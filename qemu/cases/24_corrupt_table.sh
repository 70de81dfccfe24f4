# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Tables that are broken, at first or later. A file's .sframe that cannot be read is named, with who maps it. A rule that was
# checked and means nothing any more takes its table out of service; that is counted and named once, no other table goes, and the
# next recording makes it anew. Remembered steps look no rule up, so they are off where it is met.
# Expected: 25 s
. ./lib.sh
. "$CASES/stress.sh"

retired() { [ "$(status_of tables_distrusted)" = $((before + 1)) ]; }
named() { dmesg | grep -c 'uwind: table [0-9]* of .*/asker is out of service: .* met in asker\['; }
sampled() { [ "$(status_of requested)" -ge $((start + 300)) ]; }

# begin_asker NAME: a recording of the asker, whose tables are there.
begin_asker() {
	begin "$1" -p $asker -F 199
	until_true "$PATIENCE" has_tables asker libc.so.6 || fail "$1: the tables are there: $(cat list.txt)"
}

objcopy -O binary --only-section=.sframe --set-section-flags .sframe=alloc $PROGRAMS/sframe_victim section
printf '\377' | dd of=section conv=notrunc bs=1 2>/dev/null
objcopy --update-section .sframe=section $PROGRAMS/sframe_victim broken 2>objcopy.log || fail "objcopy: $(cat objcopy.log)"
./broken &
broken=$!
want "a file with a broken section is recorded" uwind record -p $broken --duration 2 -o broken.json 2>record.log
grep -q "/broken, mapped by process $broken: not used: .sframe, byte 0: " record.log || fail "it is named: $(cat record.log)"
rules broken.json schema balance counted:sections_refused
kill -KILL $broken

before=$(status_of tables_distrusted)
named_before=$(named)
$PROGRAMS/asker /dev/null x 1000000000 >asker.txt &
asker=$!
begin_asker spoiled
halt $asker
echo N >/sys/module/uwind/parameters/step_cache
start_stress spoil=$asker
kill -CONT $asker
until_true "$PATIENCE" retired || fail "one table is retired: $(uwind status)"
halt $asker
rmmod uwind_stress || fail "rmmod uwind_stress"
echo Y >/sys/module/uwind/parameters/step_cache
kill -CONT $asker
[ "$(named)" = $((named_before + 1)) ] || fail "the log names it once: $(dmesg | tail -n 5)"
uwind list >list.txt
! grep -q '/asker$' list.txt || fail "it serves nobody any more: $(cat list.txt)"
grep -q '/libc.so.6$' list.txt || fail "the others are in service: $(cat list.txt)"
end spoiled $recorder
dmesg | grep 'out of service'

begin_asker anew
start=$(status_of requested)
until_true "$PATIENCE" sampled || fail "samples are taken: $(uwind status)"
end anew $recorder samples:asker:100 complete:asker:95 chain:asker:ask:ask_below chain:asker:ask_below:main
retired || fail "no other table is retired: $(uwind status)"
kill -KILL $asker
