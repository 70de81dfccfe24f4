# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Brings the kernel down.
# Expected: 5 s
# shellcheck source=../../../qemu/cases/lib.sh
. ./lib.sh

echo c >/proc/sysrq-trigger
sleep 60
