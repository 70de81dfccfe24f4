// SPDX-License-Identifier: GPL-2.0
// Machines whose events tests know: files of sysfs and tracefs, programs with probes.
#pragma once

#include <cerrno>
#include <functional>
#include <map>
#include <set>

#include "port/event_sources.h"

namespace fake {

inline const std::string devices = "/sys/bus/event_source/devices/";
inline const std::string tracefs = "/sys/kernel/tracing";

class Events : public uwind::EventSources {
public:
	std::map<std::string, std::string> files;
	std::set<std::string> forbidden; // paths
	int tracing_error = 0;
	std::function<int(const uwind::EventSpec&)> opens = [](const uwind::EventSpec&) { return 0; };
	std::map<std::string, uwind::ProbeFile> programs;
	std::map<std::string, int> reads; // of a path, how many

	uwind::Result<std::string> read(const std::string& path) override
	{
		reads[path]++;
		if (forbidden.count(path))
			return uwind::errno_error(EACCES, path);
		const auto found = files.find(path);
		return found == files.end() ? uwind::Result<std::string>(uwind::errno_error(ENOENT, path))
					    : found->second;
	}

	uwind::Result<std::vector<std::string>> list(const std::string& folder) override
	{
		if (forbidden.count(folder))
			return uwind::errno_error(EACCES, folder);
		std::set<std::string> names;
		const std::string prefix = folder + "/";
		for (auto at = files.lower_bound(prefix); at != files.end() && at->first.starts_with(prefix); ++at)
			names.insert(
				at->first.substr(prefix.size(), at->first.find('/', prefix.size()) - prefix.size()));
		if (names.empty())
			return uwind::errno_error(ENOENT, folder);
		return std::vector<std::string>(names.begin(), names.end());
	}

	uwind::Result<std::string> tracing() override
	{
		if (tracing_error)
			return uwind::errno_error(tracing_error, tracefs);
		return tracefs;
	}

	uwind::Status try_event(const uwind::EventSpec& event) override
	{
		const int error = opens(event);
		return error ? uwind::Status(uwind::errno_error(error, event.name)) : uwind::Status(uwind::Nothing{});
	}

	uwind::Result<uwind::ProbeFile> probe_file(const std::string& path) override
	{
		const auto found = programs.find(path);
		return found == programs.end() ? uwind::Result<uwind::ProbeFile>(uwind::errno_error(ENOENT, path))
					       : found->second;
	}

	void pmu(const std::string& name, int type) { files[devices + name + "/type"] = std::to_string(type) + "\n"; }
	void term(const std::string& pmu, const std::string& name, const std::string& bits)
	{
		files[devices + pmu + "/format/" + name] = bits + "\n";
	}
	void named(const std::string& pmu, const std::string& name, const std::string& terms)
	{
		files[devices + pmu + "/events/" + name] = terms + "\n";
	}
	void tracepoint(const std::string& subsystem, const std::string& name, int id, const std::string& fields = "")
	{
		const std::string folder = tracefs + "/events/" + subsystem + "/" + name;
		files[folder + "/id"] = std::to_string(id) + "\n";
		files[folder + "/format"] = "name: " + name + "\nID: " + std::to_string(id) + "\nformat:\n" + fields;
		files[folder + "/enable"] = files[folder + "/filter"] = "0\n";
		files[tracefs + "/events/" + subsystem + "/enable"] = "0\n";
		files[tracefs + "/events/" + subsystem + "/filter"] = "none\n";
	}
};

inline const std::string common_fields = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
					 "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
					 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

// sched_switch, with one field of each kind that tracepoints have.
inline const std::string switch_fields = common_fields +
					 "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
					 "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
					 "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
					 "\tfield:unsigned short flags;\toffset:40;\tsize:2;\tsigned:0;\n"
					 "\tfield:signed char tiny;\toffset:42;\tsize:1;\tsigned:1;\n"
					 "\tfield:u8 level;\toffset:43;\tsize:1;\tsigned:0;\n"
					 "\tfield:__data_loc char[] path;\toffset:44;\tsize:4;\tsigned:0;\n"
					 "\tfield:__rel_loc char[] rest;\toffset:48;\tsize:4;\tsigned:0;\n"
					 "\tfield:u64 address;\toffset:56;\tsize:8;\tsigned:0;\n"
					 "\tfield:const char * filename;\toffset:64;\tsize:8;\tsigned:0;\n"
					 "\tfield:void * where;\toffset:72;\tsize:8;\tsigned:0;\n"
					 "\tfield:unsigned long args[6];\toffset:80;\tsize:48;\tsigned:0;\n"
					 "\tfield:__data_loc u32[] numbers;\toffset:128;\tsize:4;\tsigned:0;\n"
					 "\tfield:struct timespec when;\toffset:136;\tsize:16;\tsigned:0;\n"
					 "\tfield:unsigned char mac[ETH_ALEN + 1];\toffset:152;\tsize:7;\tsigned:0;\n"
					 "\nprint fmt: \"%s\", REC->prev_comm\n";

inline void add_tracepoints(Events& machine)
{
	machine.files[tracefs + "/events/header_page"] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n";
	machine.files[tracefs + "/events/enable"] = "0\n";
	machine.tracepoint("sched", "sched_switch", 300, switch_fields);
	machine.tracepoint("sched", "sched_wakeup", 301, common_fields);
	machine.tracepoint("sched", "sched_process_exec", 302, common_fields);
	machine.tracepoint("syscalls", "sys_enter_openat", 400, common_fields);
	machine.tracepoint("syscalls", "sys_exit_openat", 401, common_fields);
	machine.tracepoint("syscalls", "sys_enter_read", 402, common_fields);
	machine.tracepoint("raw_syscalls", "sys_enter", 410, common_fields);
	machine.tracepoint("signal", "signal_deliver", 420, common_fields);
	machine.tracepoint("signal", "signal_generate", 421, common_fields);
	machine.tracepoint("ftrace", "function", 1, common_fields);
	machine.files.erase(tracefs + "/events/ftrace/function/id");
	for (int i = 0; i < 40; i++)
		machine.tracepoint("many", "one_" + std::to_string(i), 500 + i, common_fields);
}

inline void add_core_terms(Events& machine, const std::string& pmu)
{
	machine.term(pmu, "event", "config:0-7,32-35");
	machine.term(pmu, "umask", "config:8-15");
	machine.term(pmu, "edge", "config:18");
	machine.term(pmu, "ldlat", "config1:0-15");
	machine.term(pmu, "offcore_rsp", "config1:0-63");
	machine.term(pmu, "far", "config2:4-7");
	machine.term(pmu, "newer", "config3:0-7");
	machine.named(pmu, "cpu-cycles", "event=0x3c");
	machine.named(pmu, "mem-loads", "event=0xcd,umask=0x1,ldlat=3");
	machine.named(pmu, "open", "event=0x1,umask=?");
	machine.named(pmu, "mem-loads.scale", "1");
}

inline void add_probe_pmus(Events& machine)
{
	machine.pmu("kprobe", 8);
	machine.term("kprobe", "retprobe", "config:0");
	machine.pmu("uprobe", 9);
	machine.term("uprobe", "retprobe", "config:0");
	machine.term("uprobe", "ref_ctr_offset", "config:32-63");
	machine.files["/proc/kallsyms"] = "0000000000000000 T do_sys_openat2\n0000000000000000 t vfs_read\n"
					  "0000000000000000 t ext4_sync_fs\t[ext4]\n";
	machine.programs["/usr/bin/db"] = {
		"/usr/bin/db",
		{{"main", 0x1000, 0x40}, {"query", 0x1100, 0}, {"query_all", 0x1200, 8}},
		{{"db", "begin", 0x1010, 0}, {"db", "end", 0x1020, 0x5000}, {"db", "end", 0x1030, 0x5002}}};
}

inline void add_other_pmus(Events& machine)
{
	machine.pmu("software", 1);
	machine.pmu("tracepoint", 2);
	machine.pmu("breakpoint", 5);
	for (int i = 0; i < 2; i++) {
		const std::string name = "uncore_imc_" + std::to_string(i);
		machine.pmu(name, 20 + i);
		machine.term(name, "event", "config:0-7");
		machine.files[devices + name + "/cpumask"] = "0\n";
		machine.named(name, "cas_count_read", "event=0x04");
	}
}

inline Events machine()
{
	Events made;
	made.pmu("cpu", 4);
	add_core_terms(made, "cpu");
	add_other_pmus(made);
	add_probe_pmus(made);
	add_tracepoints(made);
	return made;
}

// CPUs of two kinds.
inline Events hybrid()
{
	Events made;
	int type = 4;
	for (const char* name : {"cpu_core", "cpu_atom"}) {
		made.pmu(name, type);
		made.files[devices + name + "/cpus"] = "0-3\n";
		add_core_terms(made, name);
		type = 10;
	}
	made.named("cpu_core", "topdown", "event=0x5");
	add_other_pmus(made);
	return made;
}

} // namespace fake
