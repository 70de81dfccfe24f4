// SPDX-License-Identifier: GPL-2.0
// What a machine lacks for uwind: the list of checks, and those of the kernel and the module.
#include "app/doctor.h"

#include <cerrno>
#include <cstdio>

namespace uwind {
namespace {

constexpr unsigned oldest_major = 6, oldest_minor = 1;

struct Option {
	const char* name;
	const char* costs;
};

// Options without which the module cannot be loaded or cannot work.
constexpr Option needed_options[] = {
	{"CONFIG_MODULES", "the module cannot be loaded"},
	{"CONFIG_NET", "records cannot be received"},
	{"CONFIG_PERF_EVENTS", "nothing can trigger a sample"},
	{"CONFIG_TRACEPOINTS", "the module cannot follow forks"},
	{"CONFIG_MMU_NOTIFIER", "the module cannot follow memory that is unmapped"},
};

using Check = Finding (*)(Surroundings& machine);

constexpr Check checks[] = {
	check_kernel,      check_options,      check_signing,     check_module,        check_device,
	check_self_device, check_capabilities, check_sample_rate, check_perf_settings, check_btf,
	check_functions,   check_text,         check_debug_files,
};

// "[integrity]" of "none [integrity] confidentiality".
std::string chosen_in(const std::string& text)
{
	const auto begin = text.find('['), end = text.find(']');
	if (begin == std::string::npos || end == std::string::npos || end < begin)
		return "";
	return text.substr(begin + 1, end - begin - 1);
}

bool is_set(const std::string& options, const std::string& name)
{
	const std::string text = "\n" + options;
	return text.find("\n" + name + "=y\n") != std::string::npos;
}

bool is_loaded(Surroundings& machine)
{
	return machine.exists("/sys/module/uwind");
}

Finding of_module_file(const ModuleFile& file, const std::string& release)
{
	const Finding missing{"module", Verdict::missing, "", "nothing can be recorded", ""};
	Finding finding = missing;
	if (file.path.empty()) {
		finding.found = "is not loaded, and there is none for " + release;
		finding.mend = "apt install uwind-dkms linux-headers-" + release +
			       " (or make build && make install in the source), then modprobe uwind";
	} else if (!file.known_by_name) {
		finding.found = "is not loaded, and modprobe does not know " + file.path;
		finding.mend = "depmod -a && modprobe uwind";
	} else {
		finding.found = "is not loaded";
		finding.mend = "modprobe uwind";
	}
	return finding;
}

} // namespace

Diagnosis examine(Surroundings& machine)
{
	Diagnosis diagnosis;
	for (const Check check : checks)
		if (Finding finding = check(machine); !finding.check.empty())
			diagnosis.findings.push_back(std::move(finding));
	diagnosis.module_absent = !is_loaded(machine);
	return diagnosis;
}

Finding check_kernel(Surroundings& machine)
{
	const auto [release, architecture] = machine.kernel();
	unsigned major = 0, minor = 0;
	Finding fine{"kernel", Verdict::ok, release + " on " + architecture, "", ""};
	Finding finding = fine;
	finding.costs = "the module cannot be built";
	finding.verdict = Verdict::missing;
	if (architecture != "x86_64" && architecture != "aarch64") {
		finding.found += ": only x86_64 and aarch64 are supported";
		finding.mend = "use a 64-bit x86 or Arm machine";
		return finding;
	}
	if (std::sscanf(release.c_str(), "%u.%u", &major, &minor) == 2 &&
	    (major < oldest_major || (major == oldest_major && minor < oldest_minor))) {
		finding.found += ": older than 6.1";
		finding.mend = "apt install linux-image-" + std::string(architecture == "x86_64" ? "amd64" : "arm64") +
			       " (Debian 12 or later), then restart";
		return finding;
	}
	return fine;
}

// If the options cannot be read but the module runs, the kernel has all of them.
Finding check_options(Surroundings& machine)
{
	const auto options = machine.kernel_options();
	if (!options && is_loaded(machine))
		return {"options", Verdict::ok, "not readable, but the module runs", "", ""};
	if (!options)
		return {"options", Verdict::warning,
			"the kernel's configuration is neither in /boot nor in /proc/config.gz",
			"a missing option is not reported here",
			"apt install --reinstall linux-image-" + machine.kernel().release};
	std::string found, costs;
	for (const Option& option : needed_options) {
		if (is_set(*options, option.name))
			continue;
		found += (found.empty() ? "" : ", ") + std::string(option.name);
		costs += (costs.empty() ? "" : ", ") + std::string(option.costs);
	}
	if (found.empty())
		return {"options", Verdict::ok, "the kernel has all that the module needs", "", ""};
	return {"options", Verdict::missing, "the kernel was built without " + found, costs,
		"use Debian's kernel, or build one with " + found + "=y"};
}

// A kernel that is locked down loads only modules that are signed with a key it knows.
Finding check_signing(Surroundings& machine)
{
	const auto lockdown = machine.read("/sys/kernel/security/lockdown");
	const auto enforced = machine.read("/sys/module/module/parameters/sig_enforce");
	const std::string state = lockdown ? chosen_in(*lockdown) : "";
	const bool locked = !state.empty() && state != "none";
	const std::string found = "lockdown is " + (state.empty() ? std::string("not visible") : state) +
				  (enforced && enforced->starts_with('Y') ? ", signatures are enforced" : "");
	if (!locked && !(enforced && enforced->starts_with('Y')))
		return {"signing", Verdict::ok, found + ", unsigned modules load", "", ""};
	if (is_loaded(machine))
		return {"signing", Verdict::ok, found + ", and the module was accepted", "", ""};
	const ModuleFile file = machine.module_file();
	if (file.is_signed)
		return {"signing", Verdict::warning, found + "; " + file.path + " is signed",
			"it loads only if the kernel knows the key",
			"mokutil --import /var/lib/dkms/mok.pub, then restart"};
	return {"signing", Verdict::missing,
		found + "; " + (file.path.empty() ? std::string("the module") : file.path) + " is not signed",
		"the kernel refuses to load the module",
		"sign it (DKMS does, or the kernel's scripts/sign-file) and mokutil --import the certificate, or "
		"switch "
		"Secure Boot off"};
}

Finding check_module(Surroundings& machine)
{
	if (!is_loaded(machine))
		return of_module_file(machine.module_file(), machine.kernel().release);
	const auto version = machine.loaded_module();
	if (version)
		return {"module", Verdict::ok,
			"version " + version->version + ", ABI " + std::to_string(version->abi) + ", as this program",
			"", ""};
	if (version.error().code == EPROTO)
		return {"module", Verdict::missing, version.error().message, "nothing can be recorded",
			"rmmod uwind && modprobe uwind, once both are of one release"};
	return {"module", Verdict::ok, "is loaded", "", ""};
}

} // namespace uwind
