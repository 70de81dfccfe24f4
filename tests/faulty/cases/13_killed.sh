# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Takes long enough for its machine to be killed meanwhile.
# Expected: 15 s
# shellcheck source=../../../qemu/cases/lib.sh
. ./lib.sh

sleep 10
