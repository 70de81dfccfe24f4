#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest whose instructions are counted by address (qemu/run.sh --count): where the module's functions are, and how many
# samples were taken of a program below 45 frames. profile.py reads that.
#
# Usage: profile.sh same|other SECONDS     of guest time
set -eu
cd /tmp
grep '\[uwind\]$' /proc/kallsyms
uwind record -F 499 -o profile.json -- /root/programs/deep_framed "$1" 39 "$2" >record.log 2>&1 || { cat record.log >&2 && exit 1; }
python3 -c 'import json; print("samples", len(json.load(open("profile.json"))["samples"]))'
