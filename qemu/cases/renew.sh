# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What run-all.sh puts in order after each case, so that the next one depends on nothing but itself: processes, settings of the
# kernel, tracing and the module. Sourced.
. ./common.sh

CGROUPS=/sys/fs/cgroup
# shellcheck disable=SC2034  # run-all.sh's
CASE_GROUP=$CGROUPS/case
TRACING=/sys/kernel/tracing
TEST_MODULES='uwind_stress trace_reader rcu_reader'

# Settings that cases change, or the kernel by itself when it is slow.
SETTINGS="$(echo /sys/devices/system/cpu/cpu[1-9]*/online)
	/proc/sys/kernel/core_pattern /proc/sys/kernel/ftrace_enabled /proc/sys/kernel/perf_event_max_sample_rate
	/proc/sys/kernel/perf_event_paranoid /proc/sys/kernel/sched_rt_runtime_us /proc/sys/kernel/watchdog_thresh
	/proc/sys/net/core/rmem_max /sys/module/rcupdate/parameters/rcu_cpu_stall_timeout /sys/kernel/debug/kprobes/enabled
	$TRACING/current_tracer $TRACING/tracing_on"

note() { echo "  # $*"; }

instances() { find "$TRACING"/instances -mindepth 1 -maxdepth 1; }
groups() { find $CGROUPS -mindepth 1 -depth -type d; }

# Lines "FILE:VALUE". The shell's own read would get the first byte of a sysctl only.
read_settings() {
	# shellcheck disable=SC2086  # words
	grep -sH '' $SETTINGS
}

remember() {
	first=$(mktemp -d /run/first.XXXXXX)
	groups >"$first/groups"
	instances >"$first/instances"
	read -r controllers <$CGROUPS/cgroup.subtree_control
	read_settings >"$first/settings"
}

# All processes of the case, and of the groups that it has made. A group can be removed when nobody is in it.
end_processes() {
	for group in $(groups | grep -vxFf "$first/groups"); do
		echo 1 >"$group/cgroup.kill"
		until_true $PATIENCE rmdir "$group" || { note "not so: nobody is left in $group: $(tr '\n' ' ' <"$group/cgroup.procs")" && return 1; }
	done
	read -r now <$CGROUPS/cgroup.subtree_control
	for controller in $now; do
		case " $controllers " in *" $controller "*) ;; *) echo "-$controller" >$CGROUPS/cgroup.subtree_control ;; esac
	done
}

set_to() { echo "$2" >"$1"; } # FILE VALUE

put_settings_back() {
	read_settings | grep -vxFf "$first/settings" >"$first/changed"
	while IFS=: read -r file now; do
		value=$(grep "^$file:" "$first/settings")
		note "$file was left at $now"
		until_true $PATIENCE set_to "$file" "${value#*:}" || { note "not so: $file is ${value#*:} again" && return 1; }
	done <"$first/changed"
}

# Whether a file of the tracers has a line, and the line is no comment.
has_line() { [ -e $TRACING/"$1" ] && read -r line <$TRACING/"$1" && [ "${line#\#}" = "$line" ]; }

clear_tracing() {
	for file in set_event kprobe_events uprobe_events set_ftrace_filter; do
		! has_line $file || echo >$TRACING/$file
	done
	instances | grep -vxFf "$first/instances" | xargs -r rmdir
}

no_module() { ! module_loaded || rmmod uwind; }

# With the parameters that it has by itself. A walk under way may still hold it for a moment.
renew_module() {
	for module in $TEST_MODULES; do
		[ ! -e "/sys/module/$module" ] || rmmod "$module"
	done
	until_true $PATIENCE no_module || { note "not so: nothing holds the module: $(grep '^uwind ' /proc/modules)" && return 1; }
	# shellcheck disable=SC2119  # without parameters
	insert || { note "not so: the module can be inserted" && return 1; }
}

# 1 if the guest is not fit for another case.
renew_guest() { end_processes && put_settings_back && clear_tracing && renew_module; }
