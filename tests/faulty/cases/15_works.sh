# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Works, whatever became of the others.
# Expected: 5 s
# shellcheck source=../../../qemu/cases/lib.sh
. ./lib.sh

want "the module answers" uwind status
