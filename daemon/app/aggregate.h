// SPDX-License-Identifier: GPL-2.0
// Collects samples, and each process, frame and stack that they share once.
#pragma once

#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "app/kernel_timeline.h"
#include "app/process_images.h"
#include "app/stack_rooms.h"
#include "app/wakers.h"
#include "model/records.h"
#include "model/report.h"
#include "port/processes.h"

namespace uwind {

// A frame that has no name yet. Two frames with one address differ if their files
// do, or the owners of kernel code, or if one is a return address and the other an
// interrupted instruction.
struct RawFrame {
	std::uint64_t pc = 0;
	std::uint64_t offset = 0; // file offset
	std::uint32_t file = 0;   // number of a FileRecord; 0: no file
	bool exact = false;       // not a return address
	bool kernel = false;      // of a kernel stack
	KernelOwner owner = 0;    // of kernel code

	bool operator==(const RawFrame&) const = default;
};

// A function of the kernel that calls name, by an address in it.
struct RawFunction {
	std::uint64_t address = 0;
	KernelOwner owner = 0;

	auto operator<=>(const RawFunction&) const = default;
};

struct Collected {
	std::vector<ReportProcess> processes;
	std::vector<RawFrame> frames;
	std::vector<ReportStack> stacks;
	SampleList samples;
	std::vector<ReportOffCpu> off_cpu;
	std::vector<RawFunction> functions; // that calls name
	std::vector<ReportCall> calls;
	std::uint64_t samples_not_kept = 0; // sum of the weights of samples beyond the limits
	std::uint64_t stacks_not_kept = 0;
};

class Aggregate {
public:
	// What one report holds at most. Samples beyond that are only counted.
	struct Limits {
		std::size_t samples = 16u << 20;
		std::size_t frames = 1u << 20;
		std::size_t stacks = 1u << 20;
		std::size_t stack_frames = 16u << 20; // of all stacks together
		std::size_t processes = 1u << 18;
	};

	// Both outlive this.
	Aggregate(Processes& processes, const KnownProcesses& known, Limits limits);
	Aggregate(Processes& processes, const KnownProcesses& known) : Aggregate(processes, known, Limits{}) {}

	// Calls on_file for each file number that occurs for the first time since
	// take(), with a process that maps the file and an address in it.
	using OnFile = std::function<void(std::uint32_t file, std::uint32_t tgid, std::uint64_t pc)>;
	void add(const StackRecord& record, const OnFile& on_file);
	// A sample that a counter noted. answer: of its request; null: it has none.
	void add(const EventRecord& event, const StackRecord* answer, const OnFile& on_file);

	// What counts in a StackRecord's weight: which event, nothing for requests; and what each of its triggers
	// stands for, 0: not known.
	void set_weighed(std::optional<Index> event, std::uint64_t period);

	// From now on, look how much there is for the stack of each process' first thread.
	void measure_stacks() { rooms_.emplace(processes_); }
	// Whose kernel code it was that ran. It outlives this; without it nobody's.
	void set_timeline(const KernelTimeline& timeline) { timeline_ = &timeline; }

	// What was collected since the last call.
	Collected take();

private:
	struct FrameHash {
		std::size_t operator()(const RawFrame& frame) const;
	};
	// A stack, or the index of one that is kept.
	struct StackHash {
		using is_transparent = void;
		const Collected* collected;
		std::size_t operator()(const ReportStack& stack) const;
		std::size_t operator()(Index index) const { return (*this)(collected->stacks[index]); }
	};
	struct StackEqual {
		using is_transparent = void;
		const Collected* collected;
		const ReportStack& of(Index index) const { return collected->stacks[index]; }
		static const ReportStack& of(const ReportStack& stack) { return stack; }
		bool operator()(const auto& a, const auto& b) const { return of(a) == of(b); }
	};

	std::optional<Index> frame_of(const RawFrame& raw);
	std::optional<Index> frame_of(const StackFrame& frame, std::uint32_t tgid, const OnFile& on_file);
	ReportStack& begin_stack(const StackPart& innermost);
	std::optional<Index> user_stack_of(const StackRecord& record, const OnFile& on_file);
	KernelOwner owner_at(std::uint64_t address, std::uint64_t time_ns) const;
	std::optional<Index> kernel_stack_of(const StackPart& innermost, std::uint64_t time_ns);
	std::optional<Index> keep(const ReportStack& stack);
	std::optional<ReportSample> sample_of(const ThreadRecord& thread, std::uint64_t time_ns, std::uint32_t weight);
	void set_answer(ReportSample& sample, const StackRecord& answer, const OnFile& on_file);
	ReportSample fill(ReportSample sample, const EventRecord& event, const StackRecord* answer,
			  const OnFile& on_file);
	std::optional<Index> off_cpu_of(const EventRecord& event);
	std::optional<Index> call_of(const EventRecord& event);
	void add_waker(const EventRecord& event, const StackRecord* answer, const OnFile& on_file);
	void reset();

	Processes& processes_;
	const Limits limits_;
	const KernelTimeline* timeline_ = nullptr;
	Collected collected_;
	ProcessImages images_;
	std::unordered_map<RawFrame, Index, FrameHash> frames_;
	std::unordered_set<Index, StackHash, StackEqual> stacks_;
	std::unordered_set<std::uint32_t> files_;
	std::map<RawFunction, Index> functions_;
	std::size_t stack_frames_ = 0;
	std::optional<Index> weighed_event_;
	std::uint64_t weighed_period_ = 0;
	Wakers wakers_;
	std::optional<StackRooms> rooms_; // nothing: they are not wanted
	ReportStack looked_up_;           // kept for its memory
};

} // namespace uwind
