// SPDX-License-Identifier: GPL-2.0
// Names of frames in code that processes generate: they are in no file that the processes map, but runtimes write them
// down on request.
#pragma once

#include <set>

#include "app/aggregate.h"
#include "app/code_notes.h"
#include "port/processes.h"

namespace uwind {

// For frames of a report, found before it was filled.
class GeneratedNames {
public:
	// The report's frames are those that were collected, in their order.
	void apply(Report& report);

private:
	friend class GeneratedFrames;

	CodeLabels labels_;
	std::map<Index, CodeLabels::Label> frames_;
};

// For one thread.
class GeneratedFrames {
public:
	// Processes whose files are held, so that they can be read when the processes have ended.
	static constexpr std::size_t most_processes = 256;

	GeneratedFrames(GeneratedCode& code, Processes& processes);

	// Of each stack, soon after it was taken: the process may end.
	void note(const StackRecord& record);
	// What frames that were collected are called; tells those apart that are several things. Then what is held of
	// processes that have ended is given back.
	GeneratedNames name(Collected& collected);

	Counts counts() const { return events_.counts(); }

private:
	using ProcessKey = std::pair<std::uint32_t, std::uint64_t>; // pid, start
	// What a process has run since an exec.
	struct Image {
		std::uint64_t exec_id = 0;
		std::uint64_t since_ns = 0; // CLOCK_BOOTTIME; of its first stack that is known
		std::size_t number = 0;
		std::unique_ptr<GeneratingProcess> process; // null: it had ended, or there was no room
	};
	using Images = std::map<ProcessKey, std::vector<Image>>;

	Image* image_of(const StackRecord& record);
	std::unique_ptr<GeneratingProcess> follow(const StackRecord& record);
	const Image* image_at(const ReportProcess& process, std::uint64_t time_ns) const;
	std::map<std::size_t, ProcessCode> read(const Collected& collected, CodeLabels& labels);
	void forget_ended();

	GeneratedCode& code_;
	Processes& processes_;
	ClockReading begin_;
	Images images_;
	std::size_t held_ = 0, last_number_ = 0;
	EventCounter events_;
};

} // namespace uwind
