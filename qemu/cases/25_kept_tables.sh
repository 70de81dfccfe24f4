# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Tables are kept for the next recording: it makes none anew, and its stacks are as complete. A damaged one is made anew. Where others
# may write, none is kept. Tables that are made before a program runs are those that its first recording takes; the service makes
# them, too.
# Expected: 60 s
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

want_status "nothing is kept ahead there" 77 uwind table keep --table-cache "$CACHE" /bin/true

# python3 and all that it maps, modules of its own included. Of these tables only the vDSO's is made by the recording. Before the
# command is executed, it is a child of uwind.
AHEAD=$WORK/ahead
uwind=$(command -v uwind)
libraries=$(LD_TRACE_LOADED_OBJECTS=1 uwind | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p')
script="import hashlib
for i in range(60): hashlib.sha256(b'x' * 1000000)
print('\\n'.join({l.split()[5] for l in open('/proc/self/maps') if '.so' in l or 'python3' in l}))"
mapped=$(python3 -c "$script" | grep ^/)
# shellcheck disable=SC2086
want "tables are made before their programs run" uwind table keep --table-cache "$AHEAD" -j 2 "$uwind" $libraries $mapped >ahead.txt
cat ahead.txt
want "all are made" grep -q "^\([0-9]*\) files: \1 tables made; .* of at most 256.0 MiB are kept in $AHEAD\$" ahead.txt
before=$(find "$AHEAD" -name '????????*' | wc -l)
want "python3 is recorded" uwind record -F 499 --table-cache "$AHEAD" -o ahead.json -- python3 -c "$script"
made=$(counter ahead tables_made) kept=$(counter ahead tables_kept)
if [ "$kept" -lt 5 ] || [ $((made - kept)) != 1 ]; then fail "all of $made tables but the vDSO's were kept: $kept"; fi
[ "$(find "$AHEAD" -name '????????*' | wc -l)" = $((before + 1)) ] || fail "they are the ones that it takes"
rules ahead.json schema balance samples:python3:20 complete:python3:95
# shellcheck disable=SC2086
uwind table keep --table-cache "$AHEAD" "$uwind" $libraries $mapped >again.txt
want "none is made again" grep -q "^\([0-9]*\) files: 0 tables made, \1 kept already; " again.txt

# The service, of a folder in which nothing has run.
mkdir programs
cp /bin/true programs/one
cp "$PROGRAMS/threads_victim" programs/two
uwindd --interval 1 --dir "$WORK/reports" --table-cache "$WORK/service" --keep-tables "$WORK/programs" 2>service.log &
service=$!
until_true 120 grep -q 'tables kept ahead: 2 files: ' service.log || fail "the service keeps tables ahead: $(cat service.log)"
kill -TERM $service
want "the service ends" wait $service
cp -a programs later
uwind table keep --table-cache "$WORK/service" later >later.txt
want "they are kept" grep -q '^2 files: 0 tables made, 2 kept already; ' later.txt
