// SPDX-License-Identifier: GPL-2.0
// One recording of perf, from its first record to the report.
#pragma once

#include "app/aggregate.h"
#include "app/symbols.h"
#include "convert/deferred_chains.h"
#include "convert/recorded_kernel.h"
#include "convert/recorded_processes.h"
#include "convert/stack_walks.h"
#include "model/session.h"
#include "port/perf_recording.h"

namespace uwind {

struct ConversionPorts {
	Processes& processes;
	Objects& objects;
	Unwinder& unwinder;
	KernelNames& kernel_names;
};

struct ConversionOptions {
	std::uint32_t max_frames = default_frames; // of a stack that is walked
	std::string perf_folder;                   // where perf keeps copies of files; "": nowhere
	Aggregate::Limits limits = {};
};

// For one recording.
class Conversion {
public:
	Conversion(const ConversionPorts& ports, PerfRecording& recording, const ConversionOptions& options);

	// An error of the recording's. What was read until then is lost.
	Result<Report> run();

private:
	struct Tally {
		Counts counts, lost, stops;
		std::uint64_t samples = 0, answered = 0;
		std::uint64_t first_ns = ~0ull, last_ns = 0; // of samples
	};

	void take(const PerfMapping& record);
	void take(const PerfName& record) { spaces_.take(record); }
	void take(const PerfFork& record) { spaces_.take(record); }
	void take(const PerfExit& record) { spaces_.take(record); }
	void take(const KernelRegionEvent& record) { kernel_.take(record); }
	void take(const PerfLost& record) { tally_.counts["events_lost"] += record.records; }
	void take(PerfSample sample);
	void take(const PerfDeferredChain& record);
	void finish(const PerfSample& sample, bool has_chain);
	RecordedStack stack_of(const PerfSample& sample, RecordedImage& image);
	const char* loss_of(const PerfSample& sample, bool has_chain, const RecordedImage& image) const;
	Report report();
	void fill_session(Report& report) const;
	void fill_counters(Report& report) const;

	PerfRecording& recording_;
	const ConversionPorts ports_;
	Modules modules_;
	AddressSpaces spaces_;
	RecordedProcesses processes_;
	KnownProcesses known_; // nobody tells of them
	RecordedKernel kernel_;
	Symbols symbols_;
	RecordedFiles files_;
	StackWalks walks_;
	Aggregate aggregate_;
	DeferredChains deferred_;
	Tally tally_;
};

} // namespace uwind
