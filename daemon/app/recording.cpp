// SPDX-License-Identifier: GPL-2.0
// One recording: a session of the module, from its start to its reports.
#include "app/recording.h"

#include "app/naming.h"
#include "base/text.h"

#include <algorithm>
#include <unistd.h>

namespace uwind {
namespace {

constexpr std::chrono::milliseconds longest_nap(200);           // of records that are not urgent
constexpr std::chrono::milliseconds longest_table_wait(10'000); // for tables that stacks still lack at the end

constexpr std::uint64_t ns_of(std::chrono::milliseconds time)
{
	return std::uint64_t(time.count()) * 1'000'000;
}

} // namespace

Recording::Recording(const Ports& ports, RecordingOptions options)
    : ports_(ports), options_(std::move(options)), symbols_(ports.objects, ports.processes, modules_),
      aggregate_(ports.processes, options_.limits),
      join_([this](const EventRecord& event, const StackRecord* answer) { collect(event, answer); }),
      unfinished_(ports, modules_,
		  {[this](const StackRecord& record) { collect(record); },
		   [this](std::uint32_t tgid, const Mapping& mapping) { tracker_.note_unannounced(tgid, mapping); }},
		  options_.session.max_frames ? options_.session.max_frames : default_frames),
      tracker_(ports, modules_, unfinished_.shelf())
{
	set_weighed(options_.session);
}

// Without a record of its own an event is the only one there is, or the first; and then of a clock, whose period is
// known.
void Recording::set_weighed(const SessionOptions& session)
{
	if (session.event == Event::requests)
		return;
	const Rate rate = session.events.empty() ? Rate{session.is_frequency, session.rate}
						 : rate_of(session.events.front(), session);
	if (rate.is_frequency)
		aggregate_.set_weighed(0, session.event == Event::cycles ? 0 : 1'000'000'000 / rate.value);
	else
		aggregate_.set_weighed(0, rate.value);
}

Status Recording::prepare(const StopRequested& stop)
{
	const auto session = ports_.kernel.start_session(options_.session);
	if (!session)
		return session.error();
	session_ = session->number;
	options_.session.user_only = session->user_only;
	if (session->stack_bytes)
		unfinished_.shelf().open();
	intake_.emplace(ports_.stream, ports_.threads);
	register_targets(stop);
	return Nothing{};
}

void Recording::register_targets(const StopRequested& stop)
{
	std::vector<std::uint32_t> pids;
	if (options_.session.all)
		pids = ports_.processes.pids();
	else
		pids.assign(options_.session.targets.begin(), options_.session.targets.end());
	tracker_.register_targets(pids, options_.program, stop);
}

Status Recording::enable()
{
	since_.boottime_ns = ports_.clock.boottime_ns();
	since_.seconds = ports_.clock.seconds_since_1970();
	return ports_.kernel.enable_session();
}

Status Recording::run_for(std::chrono::milliseconds time)
{
	const std::uint64_t end = ports_.clock.boottime_ns() + ns_of(time);
	for (std::uint64_t now; (now = ports_.clock.boottime_ns()) < end;) {
		const std::chrono::milliseconds left((end - now) / 1'000'000 + 1);
		const auto nap = unfinished_.empty() ? longest_nap : UnfinishedStacks::look_again;
		if (const auto batch = intake_->pop(std::min(left, nap)))
			take(*batch);
		else if (intake_->finished())
			break;
		if (unfinished_.is_due())
			unfinished_.finish_some();
	}
	if (const auto error = intake_->error())
		return *error;
	return Nothing{};
}

void Recording::take(const RecordBatch& batch)
{
	counts_["decode_errors"] += batch.malformed;
	counts_["records_unknown"] += batch.unknown;
	if (batch.session != session_)
		return;
	follow_sequence(batch.sequence);
	for (const Record& record : batch.records) {
		if (const auto* stack = std::get_if<StackRecord>(&record))
			take(*stack);
		else if (const auto* event = std::get_if<EventRecord>(&record))
			join_.add(*event);
		else
			tracker_.note(std::get<FileRecord>(record));
	}
}

void Recording::take(const StackRecord& record)
{
	if (record.unfinished)
		unfinished_.add(record);
	else
		collect(record);
}

// After sampling. What was missed last needs its tables, too.
void Recording::wait_for_tables()
{
	const auto end = ports_.clock.boottime_ns() + ns_of(longest_table_wait);
	unsigned idle = 0;
	while (!unfinished_.empty() && idle < 2 && ports_.clock.boottime_ns() < end) {
		const bool made = tracker_.wait_until_made(UnfinishedStacks::look_again);
		idle = !unfinished_.finish_some() && made ? idle + 1 : 0;
	}
}

Aggregate::OnFile Recording::note_unknown()
{
	return [this](std::uint32_t file, std::uint32_t tgid, std::uint64_t pc) {
		if (!modules_.of_number(file))
			tracker_.note_unknown(file, tgid, pc);
	};
}

void Recording::collect(const StackRecord& record)
{
	if (record.events)
		join_.add(record);
	if (record.weight)
		aggregate_.add(record, note_unknown());
}

void Recording::collect(const EventRecord& event, const StackRecord* answer)
{
	aggregate_.add(event, answer, note_unknown());
}

void Recording::follow_sequence(std::uint64_t sequence)
{
	if (sequence > next_sequence_)
		counts_["messages_missing"] += sequence - next_sequence_;
	next_sequence_ = std::max(next_sequence_, sequence + 1);
}

Result<Report> Recording::interval()
{
	const auto stats = ports_.kernel.session_stats();
	if (!stats)
		return stats.error();
	unfinished_.finish_all();
	Report report = report_of(*stats);
	tracker_.next_period();
	return report;
}

Result<Report> Recording::finish()
{
	const auto stats = ports_.kernel.stop_session();
	if (!stats)
		return stats.error();
	intake_->finish();
	while (!intake_->finished())
		if (const auto batch = intake_->pop(std::chrono::milliseconds(100)))
			take(*batch);
	wait_for_tables();
	unfinished_.finish_all();
	join_.finish();
	tracker_.finish(std::chrono::seconds(5));
	return report_of(*stats);
}

} // namespace uwind
