// SPDX-License-Identifier: GPL-2.0
// What a machine lacks for a log of the kernel's text.
#include "app/doctor.h"

namespace uwind {
namespace {

constexpr unsigned sys_rawio = 17, sys_admin = 21, syslog = 34, perfmon = 38;
constexpr char costs[] = "uwind text-log does not work; everything else does";

bool has(const Caller& caller, unsigned number)
{
	return caller.capabilities >> number & 1;
}

Finding warning(const std::string& found, const std::string& mend)
{
	return {"text", Verdict::warning, found, costs, mend};
}

std::string missing_capabilities(const Caller& caller)
{
	std::string missing;
	const auto miss = [&](const char* name) { missing += (missing.empty() ? "" : ", ") + std::string(name); };
	if (!has(caller, sys_rawio))
		miss("CAP_SYS_RAWIO");
	if (!has(caller, syslog))
		miss("CAP_SYSLOG");
	if (!has(caller, perfmon) && !has(caller, sys_admin))
		miss("CAP_PERFMON");
	return missing;
}

bool is_option_missing(Surroundings& machine, const std::string& name)
{
	const auto options = machine.kernel_options();
	return options && ("\n" + *options).find("\n" + name + "=y\n") == std::string::npos;
}

} // namespace

// perf tells of changes on x86 wherever it is built in; on arm64 the module does.
Finding check_text(Surroundings& machine)
{
	if (const auto lockdown = machine.read("/sys/kernel/security/lockdown");
	    lockdown && lockdown->find("[confidentiality]") != std::string::npos)
		return warning("the kernel is locked down: nobody may read its memory",
			       "switch lockdown off, or to integrity");
	if (!machine.exists("/proc/kcore"))
		return warning("/proc/kcore is missing", "use a kernel with CONFIG_PROC_KCORE=y, such as Debian's");
	if (const auto restrict = machine.read("/proc/sys/kernel/kptr_restrict"); restrict&& restrict->starts_with('2'))
		return warning("kernel.kptr_restrict is 2: nobody may see addresses", "sysctl kernel.kptr_restrict=1");
	if (const std::string missing = missing_capabilities(machine.caller()); !missing.empty())
		return warning(machine.caller().user + " has no " + missing, "sudo uwind text-log ...");
	if (machine.kernel().machine == "aarch64" && !machine.exists("/sys/module/uwind"))
		return warning("arm64's kernel does not tell how its text changes, and the module is not loaded",
			       "modprobe uwind");
	if (is_option_missing(machine, "CONFIG_KALLSYMS_ALL"))
		return {"text", Verdict::warning, "the kernel was built without CONFIG_KALLSYMS_ALL",
			"static keys have no names in uwind text-log",
			"use a kernel that has it: Debian's do, on arm64 since 6.12"};
	return {"text", Verdict::ok, "changes of the kernel's text can be logged", "", ""};
}

} // namespace uwind
