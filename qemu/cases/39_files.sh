# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What sessions learn of files: each that frames lie in, even if messages were lost, by a number that it keeps, whatever other
# users run, and by the path that whoever is sampled sees.
# Expected: 60 s
. ./lib.sh

parameters=/sys/module/uwind/parameters
chmod 755 "$WORK"

$PROGRAMS/files_check announced >files.txt || fail "lost messages take no file along: $(cat files.txt)"
$PROGRAMS/files_check crowded >files.txt || fail "nor do files that cannot wait: $(cat files.txt)"

# In a store of 200 a user has a part of 25.
remove_module "before"
insert_module
echo 200 >$parameters/max_files
$PROGRAMS/files_check kept 65534 >files.txt || fail "a user's files take no room from others': $(cat files.txt)"
echo 16384 >$parameters/max_files

# Somebody maps a file first, at a path that nobody else sees.
cp $PROGRAMS/threads_victim plain
install -d -o 65534 -g 65534 -m 755 own
: >own/chosen
begin first -a -F 499
# shellcheck disable=SC2016  # for the other shell
(exec setpriv --reuid=65534 --regid=65534 --clear-groups unshare -Urm sh -c 'mount -o bind plain own/chosen && exec own/chosen 600') &
chosen=$!
sleep 4
end first $recorder samples:chosen:100 table:own/chosen:eh_frame
kill $chosen
begin second -a -F 499
./plain 600 &
plain=$!
until_true 30 has_tables plain || fail "the table's file has the path where it lies: $(cat list.txt)"
sleep 2
! grep chosen list.txt || fail "and no other"
end second $recorder samples:plain:100 table:/plain:eh_frame complete:plain:60
! grep -q own/chosen second.json || fail "what one user sees is nobody else's path"
kill $plain
