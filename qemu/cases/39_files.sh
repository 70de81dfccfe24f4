# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What sessions learn of files: each that frames lie in, even if messages were lost.
# Expected: 20 s
. ./lib.sh

mkdir announced && cd announced || exit 1
$PROGRAMS/files_check announced >files.txt || fail "lost messages take no file along: $(cat files.txt)"
cat files.txt
