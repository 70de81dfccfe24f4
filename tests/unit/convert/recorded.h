// SPDX-License-Identifier: GPL-2.0
// A recording of perf in memory, and the machine that converts it.
#pragma once

#include <deque>

#include "convert/conversion.h"
#include "unit/fake_machine.h"
#include "unit/late_walk.h"

namespace uwind {

class FakePerfRecording : public PerfRecording {
public:
	const PerfHeader& header() const override { return header_; }
	Result<std::optional<PerfRecord>> next() override
	{
		if (records_.empty())
			return std::optional<PerfRecord>();
		std::optional<PerfRecord> record = std::move(records_.front());
		records_.pop_front();
		return record;
	}
	const PerfSkipped& skipped() const override { return skipped_; }

	PerfHeader header_{"box", "6.1", "x86_64", "6.1.187", "perf record app", {{"cpu-clock", true, 99, false}},
			   {},    {},    2'000};
	std::deque<PerfRecord> records_;
	PerfSkipped skipped_;
};

inline constexpr std::uint32_t recorded_pid = 7;
inline constexpr std::uint64_t app_address = 0x400000, lib_address = 0x7f0000;

inline PerfMapping mapped(const FakeFile& file, std::uint64_t address, std::uint32_t pid = recorded_pid)
{
	PerfMapping record;
	record.pid = record.tid = pid;
	record.mapping = {
		address,  address + 0x10000, 0, file.identity.dev_major, file.identity.dev_minor, file.identity.inode,
		file.path};
	return record;
}

inline PerfSample sample_of(std::uint64_t time_ns, std::uint32_t pid = recorded_pid)
{
	PerfSample sample;
	sample.pid = sample.tid = pid;
	sample.time_ns = time_ns;
	sample.event = 0;
	sample.in_user_mode = true;
	return sample;
}

// Interrupted in the app's function with a frame, which the library's outermost one has called.
inline PerfSample copied_stack(std::uint64_t time_ns, std::uint64_t pc = app_address + 0x10)
{
	PerfSample sample = sample_of(time_ns);
	sample.has_registers = true;
	sample.ip = pc;
	sample.registers = std::make_shared<const Unfinished>(unfinished_at(pc, lib_address + 0x110));
	return sample;
}

// Two files with tables; process 7 maps both.
struct Recorded {
	FakeMachine machine;
	FakePerfRecording recording;
	std::string perf_folder;

	Recorded()
	{
		for (const char* path : {"/bin/app", "/lib/outer.so"}) {
			FakeFile& file = machine.files.add(path);
			file.rows = two_functions();
			file.facts.arch = Arch::x86_64;
			file.symbols = {{0x400000, 0x100, Binding::global, "framed"},
					{0x400100, 0x100, Binding::global, "outermost"}};
		}
		add(name(recorded_pid, "app", true));
		add(mapped(file("/bin/app"), app_address));
		add(mapped(file("/lib/outer.so"), lib_address));
	}

	FakeFile& file(const char* path) { return machine.files.files_.at(path); }
	void add(PerfRecord record) { recording.records_.push_back(std::move(record)); }
	static PerfName name(std::uint32_t pid, const char* comm, bool exec)
	{
		PerfName record;
		record.pid = record.tid = pid;
		record.comm = comm;
		record.exec = exec;
		return record;
	}

	Report report()
	{
		Conversion conversion({machine.processes, machine.objects, machine.unwinder, machine.kernel_names},
				      recording, {default_frames, perf_folder, {}});
		auto report = conversion.run();
		return std::move(*report);
	}
};

// The functions of a stack, innermost first; "?" without a name.
inline std::vector<std::string> functions_of(const Report& report, std::optional<Index> stack)
{
	std::vector<std::string> names;
	if (stack)
		for (const Index frame : report.stacks[*stack].frames)
			names.push_back(report.frames[frame].symbol.value_or("?"));
	return names;
}

} // namespace uwind
