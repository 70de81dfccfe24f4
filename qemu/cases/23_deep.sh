# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What a sample of 45 frames takes on the socket, when its callers differ each time and when they are known; and a stack
# deeper than the session wants ends in depth, or is there whole if it wants more.
# Expected: 50 s
. ./lib.sh

for way in other same; do
	want "callers: $way" uwind record -F 1999 -o $way.json -- "$PROGRAMS/deep_victim" $way 40 6
done
rules other.json schema balance lost:15 samples:other:200 complete:other:90 deep:other:44 bytes:200:1000
rules same.json schema balance lost:15 samples:same:200 complete:same:90 deep:same:44 bytes:30:1000 known:50

# As deep as there is room for: whole, in parts that are told once.
want "deeper recursion is recorded" uwind record -F 499 --max-depth 4096 -o deeper.json -- "$PROGRAMS/deep_victim" same 3000 4
rules deeper.json schema balance samples:same:100 complete:same:80 deep:same:3000

# What that session wanted costs the next ones nothing.
requested=$(status_of requested) frames=$(status_of frames)
want "deep recursion is recorded" uwind record -F 499 -o deep.json -- "$PROGRAMS/deep_victim" other 2600 4
rules deep.json schema balance samples:other:100 deep:other:512 stop:other:depth:40
requested=$(($(status_of requested) - requested)) frames=$(($(status_of frames) - frames))
[ $frames -le $((512 * requested)) ] || fail "no walk is deeper than a session wants: $frames frames in $requested requests"
