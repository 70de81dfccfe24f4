# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A process that executes a program with set-user-ID after it was found to be the reader's, and before it is read, is
# read as it was: nothing of the other program is.
# Expected: 15 s
# Needs: /root/stall/uwind.ko
. ./lib.sh

GROUP=61000 ANN=61001
SECTION_READ=6 # as kmod/stall.h counts

remove_module "before"
MODULE_FILE=$DELAYED_MODULE
insert stall_point=$SECTION_READ stall_ms=100
insert_module
chmod 755 "$WORK"
cp $PROGRAMS/exec_race .
install -m 4755 $PROGRAMS/exec_race /usr/bin/raised # where set-user-ID counts
chgrp $GROUP /dev/uwind
setpriv --reuid=$ANN --regid=$ANN --groups=$GROUP ./exec_race /usr/bin/raised 10 >race.txt 2>&1 || fail "what was judged is read: $(cat race.txt)"
cat race.txt
rm /usr/bin/raised
