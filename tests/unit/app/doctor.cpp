// SPDX-License-Identifier: GPL-2.0
// What is missing on a machine is named, with what mends it: a good machine, and broken ones.
#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <sstream>

#include "app/doctor.h"
#include "export/diagnosis.h"

using namespace uwind;

namespace {

constexpr char all_options[] = "CONFIG_MODULES=y\nCONFIG_NET=y\nCONFIG_PERF_EVENTS=y\nCONFIG_TRACEPOINTS=y\n"
			       "CONFIG_MMU_NOTIFIER=y\n";

// A machine that has everything: a test takes away what it is about.
class FakeSurroundings : public Surroundings {
public:
	RunningKernel kernel() override { return kernel_; }
	Result<std::string> kernel_options() override { return options_; }
	Result<std::string> read(const std::string& path) override
	{
		if (!files_.contains(path))
			return errno_error(ENOENT, path);
		return files_[path];
	}
	bool exists(const std::string& path) override { return files_.contains(path) || present_.contains(path); }
	std::optional<DeviceNode> device(const std::string& path) override
	{
		return devices_.contains(path) ? std::optional(devices_[path]) : std::nullopt;
	}
	Result<ModuleVersion> loaded_module() override { return version_; }
	ModuleFile module_file() override { return file_; }
	Caller caller() override { return caller_; }
	DebugOfLibrary debug_of_c_library() override { return debug_; }

	void unload() { present_.erase("/sys/module/uwind"), devices_.clear(); }

	RunningKernel kernel_{"6.1.0-56-amd64", "x86_64"};
	Result<std::string> options_ = std::string(all_options);
	std::map<std::string, std::string> files_{
		{"/sys/kernel/security/lockdown", "[none] integrity confidentiality\n"},
		{"/sys/module/module/parameters/sig_enforce", "N\n"},
		{"/proc/sys/kernel/perf_event_max_sample_rate", "100000\n"},
		{"/proc/sys/kernel/perf_event_paranoid", "3\n"},
		{"/proc/sys/kernel/perf_event_mlock_kb", "516\n"},
		{"/proc/sys/kernel/kptr_restrict", "0\n"},
		{"/proc/sys/kernel/ftrace_enabled", "1\n"},
	};
	std::set<std::string> present_{"/sys/module/uwind", "/sys/kernel/btf/vmlinux", "/sys/kernel/btf/uwind"};
	std::map<std::string, DeviceNode> devices_{{"/dev/uwind", {0660, "root", "uwind", true}},
						   {"/dev/uwind-self", {0666, "root", "root", true}}};
	Result<ModuleVersion> version_ = ModuleVersion{1, Arch::x86_64, "0.1.0"};
	ModuleFile file_{"/lib/modules/6.1.0-56-amd64/extra/uwind.ko", true, false};
	Caller caller_{"root", {"root"}, ~std::uint64_t(0)};
	DebugOfLibrary debug_{"/lib/libc.so.6", "/usr/lib/debug/.build-id/ab/cd.debug"};
};

constexpr std::uint64_t capability(unsigned number)
{
	return std::uint64_t(1) << number;
}

std::string worst(Surroundings& machine)
{
	std::string text;
	for (const Finding& finding : examine(machine).findings)
		if (finding.verdict != Verdict::ok)
			text += std::string(name_of(finding.verdict)) + " " + finding.check + "\n";
	return text;
}

// What is shown is enough to go by.
void check_complete(const Finding& finding)
{
	CHECK_FALSE(finding.found.empty());
	CHECK_FALSE(finding.costs.empty());
	CHECK_FALSE(finding.mend.empty());
}

} // namespace

TEST_CASE("a machine that has everything is well, in twelve lines")
{
	FakeSurroundings machine;
	CHECK(worst(machine).empty());
	const auto diagnosis = examine(machine);
	CHECK(diagnosis.findings.size() == 12);
	CHECK_FALSE(diagnosis.module_absent);
	for (const Finding& finding : diagnosis.findings) {
		CHECK(finding.costs.empty());
		CHECK(finding.mend.empty());
	}
}

TEST_CASE("without the module the command that loads it is named")
{
	FakeSurroundings machine;
	machine.unload();
	CHECK(worst(machine) == "missing module\n");
	CHECK(examine(machine).module_absent);
	CHECK(check_module(machine).mend == "modprobe uwind");
	machine.file_.known_by_name = false;
	CHECK(check_module(machine).mend == "depmod -a && modprobe uwind");
	machine.file_ = {};
	CHECK_THAT(check_module(machine).found, Catch::Contains("none for 6.1.0-56-amd64"));
	CHECK_THAT(check_module(machine).mend, Catch::Contains("linux-headers-6.1.0-56-amd64"));
	check_complete(check_module(machine));
}

TEST_CASE("a module of another ABI is missing, in the words of whoever opened it")
{
	FakeSurroundings machine;
	machine.version_ = Error{EPROTO, "the kernel module speaks ABI 2, this program ABI 1"};
	CHECK(worst(machine) == "missing module\n");
	CHECK_THAT(check_module(machine).found, Catch::Contains("ABI 2"));
	check_complete(check_module(machine));
}

TEST_CASE("a device that the caller may not open is named with its mode and the way in")
{
	FakeSurroundings machine;
	machine.version_ = Error{EPERM, "permission denied"};
	machine.caller_ = {"alice", {"alice"}, 0};
	machine.devices_["/dev/uwind"].openable = false;
	CHECK(worst(machine) == "missing device\nwarning privilege\n");
	CHECK_FALSE(examine(machine).module_absent);
	CHECK(check_device(machine).found == "/dev/uwind is root:uwind 0660: alice may not open it");
	CHECK(check_device(machine).mend == "adduser alice uwind, then log in again");
	machine.devices_["/dev/uwind"].group = "root";
	CHECK_THAT(check_device(machine).mend, Catch::Contains("chgrp uwind /dev/uwind"));
	machine.devices_["/dev/uwind"].mode = 0;
	CHECK(check_device(machine).mend == "chmod 660 /dev/uwind");
	machine.devices_["/dev/uwind"] = {0660, "root", "uwind", false};
	machine.caller_.groups.push_back("uwind"); // a member already: that is not what is wrong
	CHECK_THAT(check_device(machine).mend, !Catch::Contains("adduser"));
	machine.devices_.erase("/dev/uwind");
	CHECK_THAT(check_device(machine).found, Catch::Contains("/dev/uwind is missing"));
	check_complete(check_device(machine));
}

TEST_CASE("a kernel option that is missing is named, with what cannot work")
{
	FakeSurroundings machine;
	machine.unload();
	machine.file_ = {};
	const std::string name = GENERATE("MODULES", "NET", "PERF_EVENTS", "TRACEPOINTS", "MMU_NOTIFIER");
	std::string options = all_options;
	options.erase(options.find("CONFIG_" + name), name.size() + 10);
	machine.options_ = "# CONFIG_" + name + " is not set\nCONFIG_" + name + "_OTHER=y\n" + options;
	CHECK(worst(machine) == "missing options\nmissing module\n");
	CHECK(check_options(machine).found == "the kernel was built without CONFIG_" + name);
	check_complete(check_options(machine));
}

TEST_CASE("options that cannot be read are no fault of a kernel that runs the module")
{
	FakeSurroundings machine;
	machine.options_ = errno_error(ENOENT, "/boot/config");
	CHECK(worst(machine).empty());
	machine.unload();
	CHECK(worst(machine) == "warning options\nmissing module\n");
	check_complete(check_options(machine));
}

TEST_CASE("a kernel that is locked down, or enforces signatures, refuses an unsigned module")
{
	FakeSurroundings machine;
	SECTION("locked down")
	{
		machine.files_["/sys/kernel/security/lockdown"] = "none [integrity] confidentiality\n";
	}
	SECTION("signatures enforced")
	{
		machine.files_["/sys/module/module/parameters/sig_enforce"] = "Y\n";
	}
	CHECK(worst(machine).empty()); // it was accepted
	machine.unload();
	CHECK(worst(machine) == "missing signing\nmissing module\n");
	CHECK_THAT(check_signing(machine).found,
		   Catch::Contains("/lib/modules/6.1.0-56-amd64/extra/uwind.ko is not signed"));
	check_complete(check_signing(machine));
	machine.file_.is_signed = true;
	CHECK(worst(machine) == "warning signing\nmissing module\n");
	CHECK_THAT(check_signing(machine).mend, Catch::Contains("mokutil --import"));
}

TEST_CASE("a kernel that is too old or of another machine cannot have the module")
{
	FakeSurroundings machine;
	for (const char* release : {"5.10.0-30-amd64", "6.0.12", "4.19.0"}) {
		machine.kernel_ = {release, "x86_64"};
		CHECK(worst(machine) == "missing kernel\n");
		check_complete(check_kernel(machine));
	}
	machine.kernel_ = {"6.1.0", "riscv64"};
	CHECK(worst(machine) == "missing kernel\n");
	machine.kernel_ = {"10.0.0", "aarch64"};
	CHECK(worst(machine).empty());
}

TEST_CASE("each capability that is missing is named with what it costs")
{
	FakeSurroundings machine;
	machine.caller_ = {"uwind", {}, capability(38)};
	CHECK(worst(machine) == "warning privilege\n");
	CHECK(check_capabilities(machine).found ==
	      "uwind has no CAP_SYS_PTRACE, CAP_CHECKPOINT_RESTORE, CAP_DAC_READ_SEARCH, CAP_NET_ADMIN, CAP_SYS_NICE");
	machine.caller_.capabilities |= capability(19) | capability(2) | capability(12) | capability(23);
	CHECK(check_capabilities(machine).found == "uwind has no CAP_CHECKPOINT_RESTORE");
	check_complete(check_capabilities(machine));
	machine.caller_.capabilities |= capability(21); // CAP_SYS_ADMIN stands for it, and for CAP_PERFMON
	machine.caller_.capabilities &= ~capability(38);
	CHECK(check_capabilities(machine).verdict == Verdict::ok);
	machine.caller_.capabilities = ~(capability(38) | capability(21));
	CHECK(check_capabilities(machine).verdict == Verdict::warning);
	CHECK_THAT(check_capabilities(machine).found, Catch::Contains("CAP_PERFMON"));
	check_complete(check_capabilities(machine));
}

TEST_CASE("what makes stacks worse is a warning, not a fault")
{
	FakeSurroundings machine;
	machine.files_["/proc/sys/kernel/perf_event_max_sample_rate"] = "999\n";
	machine.present_.erase("/sys/kernel/btf/uwind");
	CHECK_THAT(check_btf(machine).found, Catch::Contains("/sys/kernel/btf/uwind"));
	CHECK_THAT(check_btf(machine).mend, Catch::Contains("6.12"));
	machine.present_.erase("/sys/kernel/btf/vmlinux");
	CHECK_THAT(check_btf(machine).found, Catch::Contains("/sys/kernel/btf/vmlinux"));
	machine.debug_.file = "";
	machine.devices_["/dev/uwind-self"].mode = 0600;
	machine.files_["/proc/sys/kernel/ftrace_enabled"] = "0\n";
	CHECK(check_functions(machine).mend == "sysctl kernel.ftrace_enabled=1");
	machine.files_.erase("/proc/sys/kernel/ftrace_enabled");
	CHECK_THAT(check_functions(machine).mend, Catch::Contains("CONFIG_DYNAMIC_FTRACE"));
	CHECK(worst(machine) == "warning self\nwarning sampling\nwarning btf\nwarning functions\nwarning symbols\n");
	for (const Finding& finding : examine(machine).findings)
		if (finding.verdict != Verdict::ok)
			check_complete(finding);
	CHECK_THAT(check_debug_files(machine).mend, Catch::Contains("libc6-dbg"));
	machine.files_["/proc/sys/kernel/perf_event_max_sample_rate"] = "1000\n";
	CHECK(check_sample_rate(machine).verdict == Verdict::ok);
}

TEST_CASE("perf's settings are shown as they are")
{
	FakeSurroundings machine;
	CHECK(check_perf_settings(machine).found ==
	      "perf_event_paranoid 3, perf_event_mlock_kb 516, kptr_restrict 0: uwind obeys only the first of these, "
	      "and only for users without CAP_PERFMON");
	machine.files_.erase("/proc/sys/kernel/kptr_restrict");
	CHECK_THAT(check_perf_settings(machine).found, Catch::Contains("kptr_restrict ?"));
}

TEST_CASE("a finding is one line of text, or one object of JSON")
{
	Diagnosis diagnosis;
	diagnosis.module_absent = true;
	diagnosis.findings = {{"kernel", Verdict::ok, "6.1", "", ""},
			      {"module", Verdict::missing, "is not \"loaded\"", "nothing works", "modprobe uwind"}};
	std::ostringstream text, json;
	write_diagnosis(diagnosis, text);
	CHECK(text.str() == "ok       kernel     6.1\n"
			    "missing  module     is not \"loaded\"; so nothing works; to mend: modprobe uwind\n");
	write_diagnosis_json(diagnosis, json);
	CHECK_THAT(json.str(), Catch::Contains("\"module_loaded\": false"));
	CHECK_THAT(json.str(), Catch::Contains("\"found\": \"is not \\\"loaded\\\"\""));
	CHECK_THAT(json.str(), Catch::Contains("\"verdict\": \"missing\""));
}
