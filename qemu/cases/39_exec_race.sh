# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A process that executes a program with set-user-ID after it was found to be the reader's, and before it is read, is
# read as it was: nothing of the other program is.
# Expected: 15 s
# Needs: /sys/module/uwind/parameters/stall_point
. ./lib.sh

GROUP=61000 ANN=61001
parameters=/sys/module/uwind/parameters
SECTION_READ=4 # of enum uw_stall_point, kmod/stall.h

chmod 755 "$WORK"
cp $PROGRAMS/exec_race .
install -m 4755 $PROGRAMS/exec_race /usr/bin/raised # where set-user-ID counts
chgrp $GROUP /dev/uwind
echo 100 >$parameters/stall_ms
echo $SECTION_READ >$parameters/stall_point
setpriv --reuid=$ANN --regid=$ANN --groups=$GROUP ./exec_race /usr/bin/raised 10 >race.txt 2>&1 || fail "what was judged is read: $(cat race.txt)"
cat race.txt
echo 0 >$parameters/stall_point
chgrp 0 /dev/uwind
rm /usr/bin/raised
