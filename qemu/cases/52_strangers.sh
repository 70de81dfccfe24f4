# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What an ordinary user's processes do takes no room from others: neither tables of their own nor files that they run.
# Expected: 75 s
. ./lib.sh

parameters=/sys/module/uwind/parameters

# In the background: $! is the program itself.
as_user() {
	exec setpriv --reuid="$1" --regid="$1" --clear-groups "$2" "$3" ${4:+"$4"}
}

chmod 755 "$WORK"
cp $PROGRAMS/self_register $PROGRAMS/lives_victim $PROGRAMS/dlopen_victim $PROGRAMS/plugin.so .
ln dlopen_victim dlopen_again
cp $PROGRAMS/threads_victim service
ln service others

# recorded NAME RULE...: the recording, which has begun, ends after a thousand more requests, and its report keeps the rules.
recorded() {
	before=$(status_of requested)
	until_true "$PATIENCE" asked $((before + 1000)) || fail "$1: stacks are asked for: $(uwind status)"
	name=$1
	shift
	end "$name" $recorder "$@"
}

# Of every kind: one user's part, others' parts, the ids of a user's namespace, and what all users have together; to a cgroup as well.
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
$PROGRAMS/quota_check >quota.txt || fail "what users may keep is bounded: $(grep -v '^ok' quota.txt)"
until_true "$PATIENCE" no_tables || fail "nothing is left of it: $(uwind list)"

# One user has an eighth of the budget; four fill the half that is for all of them, and the other half stays.
echo 1 >$parameters/table_budget_mib
fillers=
for user in 65531 65532 65533 65534; do
	as_user $user ./self_register fill 600 >$user.txt &
	fillers="$fillers $!"
	until_true "$PATIENCE" grep -q sections $user.txt || fail "user $user registers sections: $(cat $user.txt)"
	grep -q 'Disk quota exceeded' $user.txt || fail "one user's share ends: $(cat $user.txt)"
done
[ "$(status_of table_bytes)" -le 524288 ] || fail "they hold half of the budget: $(status_of table_bytes)"
$PROGRAMS/sframe_victim 600 &
other=$!
begin budget -F 499 -p $other
recorded budget samples:sframe_victim:100 complete:sframe_victim:95 # there is room for others
kill $other
# shellcheck disable=SC2086  # process numbers
kill $fillers
# shellcheck disable=SC2086
wait $fillers 2>/dev/null
echo 256 >$parameters/table_budget_mib

# An eighth of the files that are tracked is for one user's.
echo 200 >$parameters/max_files
as_user 65534 ./lives_victim files &
flood=$!
begin flood -a -F 499
refuses() { [ "$(status_of files_refused)" != 0 ]; }
until_true "$PATIENCE" refuses || fail "files that are refused are counted: $(uwind status)"
as_user 65534 ./service 600 &
service=$!
./dlopen_victim 300 2 &
first=$!
until_true "$PATIENCE" has_tables dlopen_ plugin.so || fail "somebody else's program has tables: $(cat list.txt)"
kill $first
./dlopen_again 8 2 || fail "somebody else's program"
end flood $recorder samples:lives_victim:100 samples:dlopen_again:100 complete:dlopen_again:80 \
	chain:dlopen_again:plugin_work:main
kill $flood

# What the user's other programs were refused meanwhile, they are not for ever.
begin after -F 499 -p $service
recorded after samples:service:100 complete:service:80
echo 16384 >$parameters/max_files
kill $service

# A user who has many processes is sampled, and just more slowly.
echo 0 >$parameters/space_quota
begin uncached -a -F 499
as_user 65534 ./service 600 &
service=$!
until_true "$PATIENCE" has_tables service libc.so || fail "the user's program has tables: $(cat list.txt)"
recorded uncached samples:service:100 complete:service:60
echo 4096 >$parameters/space_quota

# A user whose threads owe many stacks leaves others theirs, and has room again as they are answered.
echo 0 >$parameters/request_quota
./others 600 &
others=$!
begin owed -a -F 499
recorded owed samples:others:100 absent:service lost_some:nomem
echo 8 >$parameters/request_quota
begin given_back -F 499 -p $service
recorded given_back samples:service:100
echo 8192 >$parameters/request_quota
kill $service $others
