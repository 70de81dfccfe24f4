#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest that has never run these programs: how complete the stacks of a recording are, counting every sample, and what part of
# all samples is uwind's own. Then again, with the tables that the first one kept; and once more without them.
#
# Usage: guest.sh ARCH   of the programs
set -eu
arch=$1
cd /tmp

# Programs lie on a disk, as elsewhere: of a file in the guest's own memory no stamp is kept, and its contents are compared. So they
# are of one that changed within two seconds.
modprobe -a virtio_blk ext4
mkfs.ext4 -q /dev/vda
mkdir /disk
mount /dev/vda /disk
cp -a /usr /disk/usr
mount --bind /disk/usr /usr
sleep 3

record() { # NAME OPTION...
	name=$1
	shift
	uwind record -v -a -F 499 "$@" -o "$name.json" 2>"$name.log" &
	tries=600
	until grep -q 'sampling has begun' "$name.log"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || { cat "$name.log" >&2 && exit 1; }
		sleep 0.1
	done
	sh /root/warmup/work.sh
	kill -TERM $!
	wait $!
	python3 /root/warmup/figures.py "$arch" "$name" "$name.json"
}

record cold
record kept
record none --table-cache none
