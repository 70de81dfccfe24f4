// SPDX-License-Identifier: GPL-2.0
// What a machine lacks for uwind: the right to use the module, and what makes its stacks better.
#include "app/doctor.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/text.h"

namespace uwind {
namespace {

constexpr char device_path[] = "/dev/uwind";
constexpr char self_path[] = "/dev/uwind-self";
constexpr std::uint64_t least_rate_hz = 1000;

// The kernel's numbers, which never change (capabilities(7)).
enum Capability {
	dac_read_search = 2,
	net_admin = 12,
	sys_ptrace = 19,
	sys_admin = 21,
	sys_nice = 23,
	perfmon = 38,
	bpf = 39,
	checkpoint_restore = 40,
};

struct Helpful {
	Capability number;
	bool in_sys_admin; // CAP_SYS_ADMIN includes it
	const char* name;
	const char* costs;
};

constexpr Helpful helpful[] = {
	{sys_ptrace, false, "CAP_SYS_PTRACE", "other users' processes have no tables at first"},
	{checkpoint_restore, true, "CAP_CHECKPOINT_RESTORE", "files that were deleted or replaced have no tables"},
	{dac_read_search, false, "CAP_DAC_READ_SEARCH", "files that only their owner may read have no tables"},
	{bpf, true, "CAP_BPF", "of processes that soon end little is known"},
	{net_admin, false, "CAP_NET_ADMIN", "records may be lost in bursts"},
	{sys_nice, false, "CAP_SYS_NICE", "a busy machine delays tables and records"},
};

bool has(const Caller& caller, Capability number)
{
	return caller.capabilities >> number & 1;
}

std::string described(const DeviceNode& node)
{
	char mode[16];
	std::snprintf(mode, sizeof(mode), "%04o", node.mode);
	return node.owner + ":" + node.group + " " + mode;
}

bool is_member(const Caller& caller, const std::string& group)
{
	return std::ranges::find(caller.groups, group) != caller.groups.end();
}

// Joining the group helps only if it may use the device; nobody should join root's.
std::string way_in(const DeviceNode& node, const Caller& caller)
{
	if ((node.mode & 060) == 060 && node.group != "root" && !is_member(caller, node.group))
		return "adduser " + caller.user + " " + node.group + ", then log in again";
	if ((node.mode & 0600) == 0600 && node.owner == "root")
		return "sudo uwind ..., or for members of the group: chgrp uwind " + std::string(device_path) +
		       " && chmod 660 " + device_path;
	return "chmod 660 " + std::string(device_path);
}

std::string number_in(Surroundings& machine, const std::string& path)
{
	const auto text = machine.read(path);
	if (!text)
		return "?";
	return text->substr(0, text->find('\n'));
}

} // namespace

// Without the module there is no device; check_module reports that.
Finding check_device(Surroundings& machine)
{
	if (!machine.exists("/sys/module/uwind"))
		return {};
	const auto node = machine.device(device_path);
	if (!node)
		return {"device", Verdict::missing,
			"the module is loaded, but " + std::string(device_path) + " is missing",
			"nothing can be recorded",
			"udevadm trigger --subsystem-match=misc, or mount -t devtmpfs devtmpfs /dev"};
	if (node->openable)
		return {"device", Verdict::ok, std::string(device_path) + " is " + described(*node), "", ""};
	const Caller caller = machine.caller();
	return {"device", Verdict::missing,
		std::string(device_path) + " is " + described(*node) + ": " + caller.user + " may not open it",
		"nothing can be recorded, status and list show nothing", way_in(*node, caller)};
}

Finding check_self_device(Surroundings& machine)
{
	if (!machine.exists("/sys/module/uwind"))
		return {};
	const auto node = machine.device(self_path);
	if (node && (node->mode & 0666) == 0666)
		return {"self", Verdict::ok, std::string(self_path) + " is open to all", "", ""};
	return {"self", Verdict::warning,
		std::string(self_path) + (node ? " is " + described(*node) : std::string(" is missing")),
		"programs cannot register the code that they generate",
		node ? "chmod 666 " + std::string(self_path) : "udevadm trigger --subsystem-match=misc"};
}

Finding check_capabilities(Surroundings& machine)
{
	const Caller caller = machine.caller();
	const bool admin = has(caller, sys_admin);
	if (!has(caller, perfmon) && !admin)
		return {"privilege", Verdict::warning, caller.user + " has no CAP_PERFMON",
			"you see only your own processes, if you can open the device", "sudo uwind ..."};
	std::string found, costs;
	for (const Helpful& capability : helpful) {
		if (has(caller, capability.number) || (admin && capability.in_sys_admin))
			continue;
		found += (found.empty() ? "" : ", ") + std::string(capability.name);
		costs += (costs.empty() ? "" : ", ") + std::string(capability.costs);
	}
	if (found.empty())
		return {"privilege", Verdict::ok, caller.user + " has the capabilities that help", "", ""};
	return {"privilege", Verdict::warning, caller.user + " has no " + found, costs, "sudo uwind ..."};
}

// The kernel throttles events that exceed this rate, and lowers it by itself on a slow machine.
Finding check_sample_rate(Surroundings& machine)
{
	const std::string rate = number_in(machine, "/proc/sys/kernel/perf_event_max_sample_rate");
	const auto hz = parse_number(rate);
	if (!hz || *hz >= least_rate_hz)
		return {"sampling", Verdict::ok, "perf_event_max_sample_rate is " + rate, "", ""};
	return {"sampling", Verdict::warning, "perf_event_max_sample_rate is " + rate,
		"recordings with more than " + rate + " Hz have gaps",
		"sysctl kernel.perf_event_max_sample_rate=100000"};
}

// Users of perf ask for this first. It does not apply to the module's events: the kernel itself opens these.
Finding check_perf_settings(Surroundings& machine)
{
	return {"perf", Verdict::ok,
		"perf_event_paranoid " + number_in(machine, "/proc/sys/kernel/perf_event_paranoid") +
			", perf_event_mlock_kb " + number_in(machine, "/proc/sys/kernel/perf_event_mlock_kb") +
			", kptr_restrict " + number_in(machine, "/proc/sys/kernel/kptr_restrict") +
			": uwind obeys only the first of these, and only for users without CAP_PERFMON",
		"", ""};
}

Finding check_btf(Surroundings& machine)
{
	if (machine.exists("/sys/kernel/btf/uwind"))
		return {"btf", Verdict::ok, "the kernel and the module describe their types", "", ""};
	if (machine.exists("/sys/kernel/btf/vmlinux") && !machine.exists("/sys/module/uwind"))
		return {"btf", Verdict::ok, "the kernel describes its types", "", ""};
	if (machine.exists("/sys/kernel/btf/vmlinux"))
		return {"btf", Verdict::warning,
			"/sys/kernel/btf/uwind is missing: the module does not describe its types",
			"BPF programs cannot ask for stacks (uwind_request_stack); everything else works",
			"use a kernel whose headers contain what this needs (Debian's do since 6.12), and build the "
			"module again with pahole installed (apt install dwarves)"};
	return {"btf", Verdict::warning, "/sys/kernel/btf/vmlinux is missing",
		"arguments of the kernel's functions (func:FUNCTION) have no names and no types; of processes that "
		"soon "
		"end, program, arguments and control group may stay unknown; other programs that use BPF may not load; "
		"uwind's stacks do not depend on it",
		"use a kernel with CONFIG_DEBUG_INFO_BTF=y, such as Debian's"};
}

Finding check_functions(Surroundings& machine)
{
	const auto enabled = machine.read("/proc/sys/kernel/ftrace_enabled");
	if (!enabled)
		return {"functions", Verdict::warning,
			"/proc/sys/kernel/ftrace_enabled is missing: this kernel does not trace its functions",
			"-e func:FUNCTION and uwind kstack do not work; everything else does",
			"use a kernel with CONFIG_FUNCTION_TRACER=y and CONFIG_DYNAMIC_FTRACE=y, such as Debian's"};
	if (enabled->starts_with('0'))
		return {"functions", Verdict::warning, "kernel.ftrace_enabled is 0",
			"-e func:FUNCTION counts no calls, uwind kstack sees no stacks, live patches are not applied",
			"sysctl kernel.ftrace_enabled=1"};
	return {"functions", Verdict::ok, "functions of the kernel can be traced", "", ""};
}

Finding check_debug_files(Surroundings& machine)
{
	const auto [library, file] = machine.debug_of_c_library();
	if (!file.empty())
		return {"symbols", Verdict::ok, "the C library's debug file is " + file, "", ""};
	return {"symbols", Verdict::warning,
		(library.empty() ? std::string("the C library") : library) + " has no debug file",
		"functions that it does not export have no names, only offsets",
		"apt install libc6-dbg, and the -dbgsym packages of the recorded programs"};
}

} // namespace uwind
