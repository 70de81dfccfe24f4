#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What make check says of real guests whose cases (tests/faulty/cases) leave things behind or bring the kernel down, and which are
# killed or halted from outside: each case has its own verdict.
#
# Usage: check-trouble.sh ARCH      prints what became of each boot
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/lab/common.sh
for file in steps build kernels vm machines; do
	# shellcheck source=/dev/null
	. "scripts/check/$file.sh"
done

ARCH=${1:?usage: check-trouble.sh ARCH}
OUT=$PWD/out/trouble
MACHINE=full-$ARCH-6.1 # with a second processor, which a case leaves off
# shellcheck disable=SC2034  # run_vm's
FOR_GUEST='--watch 20'
for file in tests/faulty/cases/*; do FOR_GUEST+=" --add $file:/root/cases/"; done

cases_of() { printf '%s\n' 00_boot 10_leaves 11_sees 12_panics 13_killed 14_halted 15_works; }

# machine_of_boot FOLDER: the process of the emulator that writes that console.
machine_of_boot() { pgrep -f "^qemu-system.*file:$1/console "; }

# first_boot_in CASE: the folder of the first boot that has begun it.
first_boot_in() { grep -l "^# $1 is expected" "$OUT/$MACHINE"/*/log 2>/dev/null | sort -V | head -n 1; }

# strike CASE SIGNAL: the machine of the first boot that has begun it.
strike() {
	local log=
	until log=$(first_boot_in "$1") && [ -n "$log" ]; do sleep 0.5; done
	kill "-$2" "$(machine_of_boot "${log%/log}")"
}

rm -rf "$OUT"
mkdir -p "$OUT"
strike 13_killed KILL &
strike 14_halted STOP &
# shellcheck disable=SC2046  # words
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
boot_all "$MACHINE" | tee "$OUT/$MACHINE.log" | grep -E '^(boot|not so|run.sh)'
last_verdicts "$MACHINE" | sed 's/ [0-9]*$//' >"$OUT/found"
cut -d' ' -f1,2 "$OUT/unsteady" >>"$OUT/found" || true
diff - "$OUT/found" <<END
ok 00_boot
ok 10_leaves
ok 11_sees
FAIL 12_panics
ok 13_killed
ok 14_halted
ok 15_works
$MACHINE-13_killed 2
$MACHINE-14_halted 2
END
