#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# One group of `make bench-vm`, in a guest: its records go to /out/GROUP.jsonl, and what the guest is to /out/guest.json.
#
# Usage: run.sh workloads [PROGRAM,... [HZ,...]] | growth [PART]... | rate
set -eu
group=$1
shift
printf '{"arch": "%s", "kernel": "%s", "perf": "%s"}\n' "$(uname -m)" "$(uname -r)" "$(perf --version)" >/out/guest.json
python3 "/root/bench/$group.py" "$@" >"/out/$group.jsonl"
