# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Sees nothing of the case before it.
# Expected: 5 s
# shellcheck source=../../../qemu/cases/lib.sh
. ./lib.sh

for program in uwind fork_victim; do ! pgrep -x $program || fail "no $program is left"; done
[ ! -e /sys/fs/cgroup/left ] || fail "no group is left"
[ "$(cat /sys/devices/system/cpu/online)" = 0-1 ] || fail "both processors are awake"
[ "$(cat /proc/sys/kernel/perf_event_max_sample_rate)" -gt 500 ] || fail "the rate is as before"
[ -z "$(cat $PROBES/kprobe_events)" ] || fail "no probe is left"
[ "$(cat /sys/module/uwind/parameters/step_cache)" = Y ] || fail "the module is new"
[ "$(status_of requested)" = 0 ] || fail "the module is new"
