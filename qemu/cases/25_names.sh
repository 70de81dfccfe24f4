# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Names from separate debug files, of stripped programs and of libc, against addr2line's for the same addresses.
# Expected: 60 s
. ./lib.sh

STRIPPED=$PROGRAMS/stripped
FILES=/usr/lib/debug
libc=$(readlink -f "/lib/$(uname -m)-linux-gnu/libc.so.6")

# build_id FILE, and where its debug file belongs
build_id() { readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p'; }
debug_path() { build_id "$1" | sed "s,^\(..\)\(.*\)\$,$FILES/.build-id/\1/\2.debug,"; }

libc_debug=$(debug_path "$libc")
[ -e "$libc_debug" ] || fail "libc6-dbg is installed, and is this libc's: $libc_debug"

# Each program has its debug file in another of the places where gdb looks.
mkdir -p bin/.debug "$FILES$WORK/bin"
cp $STRIPPED/names_victim $STRIPPED/names_no_id $STRIPPED/threads_victim $STRIPPED/sframe_victim bin
cp $STRIPPED/.debug/names_victim.debug bin
cp $STRIPPED/.debug/names_no_id.debug bin/.debug
cp $STRIPPED/.debug/threads_victim.debug "$FILES$WORK/bin"
by_id=$(debug_path bin/sframe_victim)
mkdir -p "${by_id%/*}"
cp $STRIPPED/.debug/sframe_victim.debug "$by_id"

# One after the other, since one of them has more threads than there are processors.
begin names -a -F 499
for program in names_victim names_no_id threads_victim sframe_victim; do bin/$program 4; done
kill -INT $recorder # which a shell has its background commands ignore
wait $recorder || fail "recording ends: $(cat names.log)"
rules names.json schema samples:names_victim:30 samples:names_no_id:30 samples:threads_victim:30 samples:sframe_victim:30 \
	chain:names_victim:alias_first:main chain:names_no_id:work_compare:work_sort chain:threads_victim:work_recurse:thread_work \
	chain:sframe_victim:work_compare:work_sort
! grep -q 'not the debug file' names.log || fail "the debug files fit: $(cat names.log)"
mkdir -p /out
python3 "$CASES/names.py" names.json "$libc=$libc_debug" "/bin/names_victim=bin/names_victim.debug" \
	"/bin/names_no_id=bin/.debug/names_no_id.debug" "/bin/threads_victim=$FILES$WORK/bin/threads_victim.debug" \
	"/bin/sframe_victim=$by_id" >/out/names.txt || fail "addr2line says the same, or something of a known class: $(cat /out/names.txt)"
cat /out/names.txt

# Another program's debug file, under this one's name.
cp $STRIPPED/.debug/threads_victim.debug bin/names_victim.debug
uwind record -F 199 -o wrong.json -- bin/names_victim 2 2>said
[ "$(grep -c 'bin/names_victim.debug is not the debug file of .*bin/names_victim: its build-id is' said)" = 1 ] ||
	fail "a debug file of another build is refused once: $(cat said)"
rules wrong.json samples:names_victim:20 unnamed:/bin/names_victim
rm -rf "${FILES:?}$WORK" "$by_id"
