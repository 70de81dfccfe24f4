# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Tables are kept for the next recording: it makes none anew, and its stacks are as complete. A damaged one is made anew. Where others
# may write, none is kept.
# Expected: 20 s
. ./lib.sh

CACHE=$WORK/cache/tables

# record NAME: with whatever the cache has.
record() {
	want "$1 is recorded" uwind record -F 499 --table-cache "$CACHE" -o "$1.json" -- $PROGRAMS/threads_victim 1 2>"$1.log"
	rules "$1.json" schema balance samples:threads_victim:100 complete:threads_victim:95 bottom:threads_victim
}

# counter FILE NAME: its value in a report.
counter() { sed -n "s/.*\"$2\": \([0-9]*\).*/\1/p" "$1.json"; }

record cold
[ "$(counter cold tables_kept)" = 0 ] || fail "nothing was kept before"
record warm
made=$(counter warm tables_made) kept=$(counter warm tables_kept)
if [ "$kept" -lt 4 ] || [ "$kept" != "$made" ]; then fail "all of $made tables were kept: $kept"; fi

for file in "$CACHE"/????????*; do truncate -s -1 "$file"; done
record damaged
[ "$(counter damaged tables_kept)" = 0 ] || fail "damaged tables are not used"
want "each is named" grep -q "$CACHE/.* is damaged" damaged.log
record mended
[ "$(counter mended tables_kept)" = "$kept" ] || fail "they were made anew: $(counter mended tables_kept)"

chmod 777 "$CACHE"
record open
[ "$(counter open tables_kept)" = 0 ] || fail "tables that others may have written are not used"
want "the folder is named" grep -q "tables are not kept for the next time: $CACHE can be written to by others" open.log
