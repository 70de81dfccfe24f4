# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Stock 32-bit programs: an interpreter that recurses through pcall(), makes system calls and formats strings, and a compressor;
# and a program that calls through a null pointer.
# Expected: 30 s
# Needs: /lib/ld-linux*.so.[23]
# Pages: 4096, for which those of Debian 12 are linked
. ./lib.sh

# System calls of i386 go through the vDSO, so samples meet it; Arm's do not.
libc=$(find /lib/i386-linux-gnu /lib/arm-linux-gnueabihf -name libc.so.6 2>/dev/null)
vdso=
case $libc in */i386-*) vdso=table:vdso:eh_frame ;; esac

is_32_bit() { grep -q '"word_bits": 32' "$1"; }

cat >deep.lua <<'LUA'
local function deep(n)
	if n > 0 then return select(2, pcall(deep, n - 1)) + 1 end
	for i = 1, 100 do string.format("%d %s %g", i, ("x"):rep(i), i / 7) end
	return 0
end
local stop = os.time() + 6
while os.time() < stop do
	deep(20)
	for _ = 1, 50 do io.open("/dev/null"):close() end
end
LUA
want "an interpreter is recorded" uwind record -F 499 -o lua.json -- lua5.4 deep.lua
rules lua.json schema balance samples:lua5.4:300 complete:lua5.4:98 bottom:lua5.4 $vdso
want "it is a 32-bit program" is_32_bit lua.json

cat "$libc" "$libc" >data
cat data data data >whole
want "a compressor is recorded" uwind record -F 499 -o bzip2.json -- sh -c 'exec bzip2 -c whole >whole.bz2'
rules bzip2.json schema balance samples:bzip2:100 complete:bzip2:98 bottom:bzip2
want "it is a 32-bit program, too" is_32_bit bzip2.json

if [ -x "$PROGRAMS/null_victim_32" ]; then
	want "a 32-bit call through a null pointer is recorded in its handler" uwind record -F 499 -o null.json -- "$PROGRAMS/null_victim_32" aside 2
	rules null.json schema balance samples:null_victim_32:100 complete:null_victim_32:60 bottom:null_victim_32 chain:null_victim_32:on_fault:0x0 \
		chain:null_victim_32:0x0:call_nothing chain:null_victim_32:work_recurse:main deep:null_victim_32:20
	want "it is a 32-bit program, as well" is_32_bit null.json
fi
