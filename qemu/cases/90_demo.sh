# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# The demo's workloads, recorded together; the host checks the report that is left in /out/demo.
# Expected: 120 s
. ./lib.sh

want "the demo runs" sh "$CASES/../demo-guest.sh" /out/demo
