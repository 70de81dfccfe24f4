#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Does to the debug kernel what it is there to find (tests/faulty), and asserts that qemu/run.sh hears of each.
#
# Usage: check-complaints.sh ARCH
set -euo pipefail
cd "$(dirname "$0")/.."

ARCH=${1:?usage: check-complaints.sh ARCH}
KERNEL=6.1-debug
MODULE=build/$ARCH/faulty-$KERNEL
SAID=$(mktemp)
trap 'rm -f "$SAID"' EXIT

EXPECTED=(
	'KASAN: use-after-free'
	'KASAN: vmalloc-out-of-bounds'
	'UBSAN: array-index-out-of-bounds'
	'UBSAN: shift-out-of-bounds'
	'list_add corruption'
	'refcount_t: '
	'WARNING: .*debug_print_object'
	'BUG: sleeping function called from invalid context'
	'BUG: using smp_processor_id\(\) in preemptible'
	'suspicious RCU usage'
	'possible circular locking dependency'
	'kmemleak: [0-9]+ new suspected memory leaks'
)

# An object counts as lost when nothing points to it in two scans, and is some seconds old.
# shellcheck disable=SC2016  # for the guest
GUEST='insmod /root/faulty.ko && sleep 6 && echo scan >/sys/kernel/debug/kmemleak && sleep 6 &&
	echo scan >/sys/kernel/debug/kmemleak && cat /sys/kernel/debug/kmemleak'

UWIND_KMOD=tests/faulty scripts/lab/build-kmod.sh "$ARCH" "$KERNEL" "$MODULE" >/dev/null
status=0
qemu/run.sh --arch "$ARCH" --kernel "$KERNEL" --no-module --append kasan_multi_shot --timeout 300 --add "$MODULE/faulty.ko" \
	-- sh -c "$GUEST" >"$SAID" 2>&1 || status=$?
missing=0
for line in "${EXPECTED[@]}"; do
	if grep -aqE "$line" "$SAID"; then
		echo "heard: $line"
	else
		echo "not heard: $line"
		missing=1
	fi
done
[ "$status" = 125 ] || echo "run.sh's exit status is $status, not 125"
[ "$status" = 125 ] && [ "$missing" = 0 ]
