#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Records eight real programs in a virtual machine with a stock kernel, and prints how complete their stacks are.
#
# Usage: demo.sh [ARCH [KERNEL]]     leaves out/demo/report.json and out/demo/stacks.folded
set -euo pipefail
cd "$(dirname "$0")/.."

arch=${1:-$(dpkg --print-architecture)} kernel=${2:-6.1}
scripts/setup.sh
make --no-print-directory build ARCH="$arch" KERNEL="$kernel" >&2
rm -rf out/demo
status=0
UWIND_NO_BUILD=1 qemu/run.sh --arch "$arch" --kernel "$kernel" --timeout 900 --out out/demo/guest \
	--pkg python3 --pkg perl --pkg gawk --pkg sqlite3 --pkg openssl --pkg xz-utils \
	--add "build/$arch/programs" --add scripts/demo-work --add scripts/demo-guest.sh \
	-- /root/demo-guest.sh /out || status=$?
[ -e out/demo/guest/report.json ] || {
	echo "demo.sh: the guest left no report (exit status $status); its console is out/demo/guest/console" >&2
	exit 1
}
mv out/demo/guest/report.json out/demo/guest/stacks.folded out/demo/
scripts/demo-assert.py --stacks out/demo/report.json || status=1
printf '\nwritten: out/demo/report.json, out/demo/stacks.folded\n'
exit "$status"
