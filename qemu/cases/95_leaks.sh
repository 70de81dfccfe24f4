# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Of what the cases before it allocated, nothing is lost: neither while the module is there nor when it is gone.
# Expected: 90 s
# Needs: /sys/kernel/debug/kmemleak
. ./lib.sh

kmemleak=/sys/kernel/debug/kmemleak

# An object is lost if nothing points to it in two scans, some seconds after it was made; what RCU frees is freed before.
scan() {
	for _ in 1 2; do
		sleep 7
		echo scan >$kmemleak || fail "kmemleak works: it switches itself off when it has no memory"
	done
	cat $kmemleak >"$1"
	echo "$1: $(grep -c '^unreferenced object' "$1") objects"
}

# Everything else is built in, so a place without a name was the module's before it was removed.
ours() { grep -E '\[uwind(_resident[0-9]+)?\]|\] 0x[0-9a-f]+$' "$1"; }

scan present
! ours present || fail "the module loses nothing: $(cat present)"
remove_module "leaks"
scan removed
! ours removed || fail "a module that is gone has lost nothing: $(cat removed)"
insert_module
