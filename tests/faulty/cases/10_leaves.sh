# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Leaves behind what a case can: programs, a recording, groups, a processor that is off, settings, a probe, and the module changed.
# Expected: 20 s
# shellcheck source=../../../qemu/cases/lib.sh
. ./lib.sh

begin left -a -F 99
(nice $PROGRAMS/fork_victim 3600 >/dev/null &) # nobody's child
mkdir -p /sys/fs/cgroup/left/below
sleep 3600 &
echo $! >/sys/fs/cgroup/left/below/cgroup.procs
echo 0 >/sys/devices/system/cpu/cpu1/online
echo 500 >/proc/sys/kernel/perf_event_max_sample_rate
echo "p:cases/left vfs_fsync" >$PROBES/kprobe_events
echo 1 >$PROBES/events/cases/left/enable
echo N >/sys/module/uwind/parameters/step_cache
