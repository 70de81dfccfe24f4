// SPDX-License-Identifier: GPL-2.0
// One recording: a session of the module, from its start to its reports.
#pragma once

#include "app/aggregate.h"
#include "app/event_join.h"
#include "app/generated_code.h"
#include "app/intake.h"
#include "app/kernel_owners.h"
#include "app/life_follower.h"
#include "app/modules.h"
#include "app/ports.h"
#include "app/symbols.h"
#include "app/tracker.h"
#include "app/unfinished_stacks.h"

namespace uwind {

struct RecordingOptions {
	SessionOptions session;
	std::string target;  // as reports show it: "all", "pid 12", "command sleep"
	std::string program; // the file of a program that is about to be started; "": none
	Aggregate::Limits limits;
	bool stack_depth = false;  // reports say how deep stacks are
	bool no_arguments = false; // reports do not have the arguments of processes, which may be secrets
};

class Recording {
public:
	Recording(const Ports& ports, RecordingOptions options);
	~Recording() { lives_.finish(); } // whose thread uses the tracker

	// Starts the session, which does not count yet, and gives tables to the files
	// that the targets map. Ends early when stop() is true.
	Status prepare(const StopRequested& stop);
	Status enable();
	// After prepare(): whether the module counts in user mode only, asked for or not.
	bool user_only() const { return options_.session.user_only; }

	// After prepare(): which kernel code that comes or goes cannot be watched, though kernel stacks are recorded.
	const std::vector<KernelRegions::Unwatched>& unwatched() const { return owners_.unwatched(); }

	// Takes in the records that arrive within that time.
	Status run_for(std::chrono::milliseconds time);

	// Whether files wait for their tables, or have them made.
	bool is_making_tables() { return !tracker_.wait_until_made(std::chrono::milliseconds(0)); }

	// A report of what was sampled since the last one. Sampling continues.
	Result<Report> interval();
	// Ends the session; a report of what was sampled since the last one.
	Result<Report> finish();

private:
	void set_weighed(const SessionOptions& session);
	void register_targets(const StopRequested& stop);
	void take(const RecordBatch& batch);
	void take(const StackRecord& record);
	void collect(const StackRecord& record);
	void collect(const EventRecord& event, const StackRecord* answer);
	Aggregate::OnFile note_unknown();
	void wait_for_tables();
	void follow_sequence(std::uint64_t sequence);
	Report report_of(const SessionStats& stats);
	void count_finished(std::map<std::string, std::uint64_t>& stops);
	void fill_counters(const SessionStats& stats, Report& report);
	Counts own_counts();

	Ports ports_;
	RecordingOptions options_; // user_only as the module decided
	Modules modules_;
	Symbols symbols_;
	KernelOwners owners_;
	LifeFollower lives_;
	Aggregate aggregate_;
	GeneratedFrames generated_;
	EventJoin join_;
	UnfinishedStacks unfinished_;
	Tracker tracker_;
	std::optional<Intake> intake_;
	struct {
		std::uint32_t session = 0;
		std::uint64_t next_sequence = 0;
		Counts counts; // since the start
	} messages_;
	// Those of the last report.
	struct {
		SessionStats stats;
		Counts counts; // own_counts()
	} reported_;
	// The beginning of what the next report is of.
	struct {
		std::uint64_t boottime_ns = 0;
		std::int64_t seconds = 0; // since 1970
	} since_;
};

} // namespace uwind
