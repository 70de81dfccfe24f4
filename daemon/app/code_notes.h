// SPDX-License-Identifier: GPL-2.0
// What one process's perf map and jitdump say of addresses in the code that it generated.
#pragma once

#include <map>
#include <string>

#include "app/code_labels.h"
#include "app/code_times.h"
#include "app/counts.h"
#include "jit/jitdump.h"
#include "port/generated_code.h"

namespace uwind {

// The processor's clock, and CLOCK_MONOTONIC, beside that of samples.
struct ClockReadings {
	ClockReading begin, end;

	// Of a jitdump's time: CLOCK_BOOTTIME.
	std::uint64_t boottime_ns(std::uint64_t time, bool cycles) const;
};

class ProcessCode {
public:
	static constexpr std::size_t most_changes = 4u << 20; // of code that are kept for the addresses of a process

	// places: rising, each once.
	ProcessCode(const std::vector<std::uint64_t>& places, CodeLabels& labels, EventCounter& events);

	void read(GeneratingProcess& process, const ClockReadings& clocks);

	// A jitdump knows times; where it says nothing, the map does.
	CodeTimes::Span at(std::uint64_t place, std::uint64_t time_ns) const;

private:
	// Code that is moved to where a place is, by its index; its name is known once it was loaded.
	using MovedCode = std::map<std::uint64_t, std::string>;

	void read_map(GeneratingProcess& process);
	void read_dump(GeneratingProcess& process, const ClockReadings& clocks);
	MovedCode moved_code(CodeNotes& notes) const;
	void load(const JitLoad& load, std::uint64_t time_ns, const std::string& path, MovedCode& moved);
	void move(const JitMove& move, std::uint64_t time_ns, const std::string& path, const MovedCode& moved);
	CodeTimes::Label counted(CodeTimes::Label label);
	void note_flaws(const std::string& path, const NotesFlaws& flaws, const char* where);
	void refuse(const std::string& path, const Error& error);

	CodeLabels& labels_;
	EventCounter& events_;
	CodeTimes map_, dump_;
};

} // namespace uwind
