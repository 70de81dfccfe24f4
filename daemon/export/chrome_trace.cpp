// SPDX-License-Identifier: GPL-2.0
// Samples as a timeline in Chrome's trace event format.
#include "export/chrome_trace.h"

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <string>

#include "export/folded.h"
#include "export/json_text.h"
#include "export/threads.h"

namespace uwind {
namespace {

constexpr std::uint64_t ns_of_s = 1'000'000'000;

std::string microseconds(std::uint64_t ns)
{
	char text[32];
	std::snprintf(text, sizeof(text), "%llu.%03u", static_cast<unsigned long long>(ns / 1000),
		      static_cast<unsigned>(ns % 1000));
	return text;
}

// Images of one thread as one, by the name of the last: viewers know a thread by its number.
std::vector<ThreadSamples> numbered_threads(const Report& report)
{
	std::vector<ThreadSamples> threads;
	for (ThreadSamples& image : threads_of(report)) {
		if (threads.empty() || threads.back().pid != image.pid || threads.back().tid != image.tid) {
			threads.push_back(std::move(image));
			continue;
		}
		auto& samples = threads.back().samples;
		samples.insert(samples.end(), image.samples.begin(), image.samples.end());
		std::ranges::stable_sort(samples, {}, &ReportSample::time_ns);
		threads.back().process = samples.back().process;
	}
	return threads;
}

// How long before the sample it stands for. 0: it is of a moment.
std::uint64_t length_of(const Report& report, const ReportSample& sample)
{
	if (sample.call)
		return report.calls[*sample.call].duration_ns;
	if (sample.period && counts_time(report, sample))
		return *sample.period;
	const auto& events = report.session.events;
	if (sample.event && *sample.event < events.size()) {
		const ReportEvent& event = events[*sample.event];
		return event.is_frequency && event.rate ? ns_of_s / event.rate : 0;
	}
	return 0;
}

class Trace {
public:
	Trace(const Report& report, std::ostream& out) : report_(report), out_(out)
	{
		names_.reserve(report.frames.size());
		for (Index i = 0; i < report.frames.size(); i++)
			names_.push_back(quoted(frame_text(report, i)));
	}

	void write(const ThreadSamples& thread)
	{
		name(thread, "process_name", report_.processes[thread.process].comm);
		name(thread, "thread_name", name_of(report_, thread));
		last_ns_ = 0;
		process_ = thread.process;
		for (const ReportSample& sample : thread.samples) {
			const std::uint64_t length = length_of(report_, sample);
			if (length)
				span(thread, sample, length);
			else
				instant(thread, sample);
		}
		close(thread, 0);
	}

private:
	void begin_event(const char* phase, const ThreadSamples& thread)
	{
		out_ << separator_ << "{\"ph\": \"" << phase << "\", \"pid\": " << thread.pid
		     << ", \"tid\": " << thread.tid;
		separator_ = ",\n  ";
	}

	void name(const ThreadSamples& thread, const char* what, const std::string& text)
	{
		begin_event("M", thread);
		out_ << ", \"name\": \"" << what << "\", \"args\": {\"name\": " << quoted(text) << "}}";
	}

	void span(const ThreadSamples& thread, const ReportSample& sample, std::uint64_t length)
	{
		const std::uint64_t end = std::max(sample.time_ns, last_ns_);
		const std::uint64_t begin = std::max(end - std::min(end, length), last_ns_);
		if (begin == end)
			return;
		const auto frames = outermost_first(report_, sample);
		const bool goes_on = begin - last_ns_ <= length / 2 && sample.process == process_;
		std::size_t common = 0;
		if (goes_on)
			common = static_cast<std::size_t>(std::ranges::mismatch(frames, open_).in1 - frames.begin());
		close(thread, common);
		for (std::size_t i = common; i < frames.size(); i++)
			open(thread, frames[i], begin);
		last_ns_ = end;
		process_ = sample.process;
	}

	void open(const ThreadSamples& thread, Index frame, std::uint64_t at)
	{
		begin_event("B", thread);
		out_ << ", \"ts\": " << microseconds(at) << ", \"name\": " << names_[frame] << ", \"cat\": \""
		     << (report_.frames[frame].kernel ? "kernel" : "user") << "\"}";
		open_.push_back(frame);
	}

	// All but so many of the outermost frames end.
	void close(const ThreadSamples& thread, std::size_t keep)
	{
		for (; open_.size() > keep; open_.pop_back()) {
			begin_event("E", thread);
			out_ << ", \"ts\": " << microseconds(last_ns_) << ", \"name\": " << names_[open_.back()] << '}';
		}
	}

	void instant(const ThreadSamples& thread, const ReportSample& sample)
	{
		begin_event("i", thread);
		out_ << ", \"s\": \"t\", \"ts\": " << microseconds(sample.time_ns)
		     << ", \"name\": " << quoted(event_name(report_, sample)) << ", \"args\": {\"stack\": [";
		write_separated(outermost_first(report_, sample), out_, ", ",
				[&](Index frame) { out_ << names_[frame]; });
		out_ << "]}}";
	}

	const Report& report_;
	std::ostream& out_;
	std::vector<std::string> names_; // of frames
	const char* separator_ = "\n  ";
	std::vector<Index> open_;   // frames, outermost first
	std::uint64_t last_ns_ = 0; // up to which open frames go
	Index process_ = 0;         // that they are of
};

} // namespace

void write_chrome_trace(const Report& report, std::ostream& out)
{
	out << "{\"displayTimeUnit\": \"ns\",\n \"otherData\": {\"exporter\": " << quoted("uwind " + report.host.uwind)
	    << ", \"host\": " << quoted(report.host.hostname) << "},\n \"traceEvents\": [";
	Trace trace(report, out);
	for (const ThreadSamples& thread : numbered_threads(report))
		trace.write(thread);
	out << "]}\n";
}

} // namespace uwind
