// SPDX-License-Identifier: GPL-2.0
// One recording: a session of the module, from its start to its reports.
#pragma once

#include "app/aggregate.h"
#include "app/intake.h"
#include "app/modules.h"
#include "app/ports.h"
#include "app/symbols.h"
#include "app/tracker.h"

namespace uwind {

struct RecordingOptions {
	SessionOptions session;
	std::string target;  // for people: "all", "pid 12", "command sleep"
	std::string program; // a program about to be started: its file; else ""
	Aggregate::Limits limits;
};

class Recording {
public:
	Recording(const Ports& ports, RecordingOptions options);

	// Starts the session without counting yet, and gives tables to what the
	// targets map. stop() true ends that early.
	Status prepare(const StopRequested& stop);
	Status enable();
	// Only what ran in user mode is counted, whether or not that was asked for. After prepare().
	bool user_only() const { return options_.session.user_only; }

	// Takes in what arrives within that time.
	Status run_for(std::chrono::milliseconds time);

	// A report of what happened since the last one; sampling goes on.
	Result<Report> interval();
	// Ends the session and reports what happened since the last report.
	Result<Report> finish();

private:
	void register_targets(const StopRequested& stop);
	void take(const RecordBatch& batch);
	void take(const StackRecord& record);
	void follow_sequence(std::uint64_t sequence);
	Report report_of(const SessionStats& stats);
	void fill_counters(const SessionStats& stats, Report& report);
	Counts own_counts();

	Ports ports_;
	RecordingOptions options_; // user_only as the module has it
	Modules modules_;
	Symbols symbols_;
	Aggregate aggregate_;
	Tracker tracker_;
	std::optional<Intake> intake_;
	std::uint32_t session_ = 0;
	std::uint64_t next_sequence_ = 0;
	Counts counts_;          // of messages, since the start
	Counts reported_counts_; // up to the last report
	SessionStats reported_;  // up to the last report
	std::uint64_t since_ns_ = 0;
	std::int64_t since_ = 0;
};

} // namespace uwind
