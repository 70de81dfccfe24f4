# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What an ordinary user's processes do takes no room from others: neither tables of their own nor files that they run.
# Expected: 30 s
. ./lib.sh

parameters=/sys/module/uwind/parameters

# In the background: $! is the program itself.
as_user() {
	exec setpriv --reuid="$1" --regid="$1" --clear-groups "$2" "$3" ${4:+"$4"}
}

chmod 755 "$WORK"
cp $PROGRAMS/self_register $PROGRAMS/lives_victim $PROGRAMS/dlopen_victim $PROGRAMS/plugin.so .
ln dlopen_victim dlopen_again

# A quarter of the budget is for what users register for themselves.
echo 1 >$parameters/table_budget_mib
echo 4 >$parameters/self_quota_kib # of one user; two fill what is left
as_user 65534 ./self_register fill 60 >nobody.txt &
nobody=$!
until_true 20 grep -q sections nobody.txt || fail "nobody registers sections: $(cat nobody.txt)"
grep -q 'Disk quota exceeded' nobody.txt || fail "one user's share ends: $(cat nobody.txt)"
echo 16384 >$parameters/self_quota_kib
as_user 65533 ./self_register fill 60 >other.txt &
other=$!
until_true 60 grep -q sections other.txt || fail "another user registers sections: $(cat other.txt)"
grep -q 'No space left on device' other.txt || fail "all users' share ends: $(cat other.txt)"
[ "$(status_of table_bytes)" -le 262144 ] || fail "they hold a quarter of the budget: $(status_of table_bytes)"
want "there is room for others" uwind record -F 199 -o budget.json -- $PROGRAMS/sframe_victim 4
rules budget.json schema balance samples:sframe_victim:100 complete:sframe_victim:95
kill $nobody $other
wait $nobody $other 2>/dev/null
echo 256 >$parameters/table_budget_mib

# A quarter of the files that are tracked is for one user's.
echo 200 >$parameters/max_files
as_user 65534 ./lives_victim files &
flood=$!
begin flood -a -F 499
refuses() { [ "$(status_of files_refused)" != 0 ]; }
until_true 30 refuses || fail "files that are refused are counted: $(uwind status)"
./dlopen_victim 300 2 &
first=$!
until_true 120 has_tables dlopen_ plugin.so || fail "somebody else's program has tables: $(cat list.txt)"
kill $first
./dlopen_again 8 2 || fail "somebody else's program"
end flood $recorder samples:lives_victim:100 samples:dlopen_again:100 complete:dlopen_again:80 \
	chain:dlopen_again:plugin_work:main
kill $flood
echo 16384 >$parameters/max_files
