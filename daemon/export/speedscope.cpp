// SPDX-License-Identifier: GPL-2.0
// Samples in speedscope's own format.
#include "export/speedscope.h"

#include <ostream>

#include "export/folded.h"
#include "export/json_text.h"
#include "export/threads.h"

namespace uwind {
namespace {

// The line of its source, else the file that its code is in.
void write_place(const Report& report, const ReportFrame& frame, std::ostream& out)
{
	if (frame.source && frame.source->line)
		out << ", \"file\": " << quoted(frame.source->file) << ", \"line\": " << frame.source->line;
	else if (frame.module)
		out << ", \"file\": " << quoted(report.modules[*frame.module].path);
}

void write_frames(const Report& report, std::ostream& out)
{
	out << "{\"frames\": [\n  ";
	write_separated(report.frames, out, ",\n  ", [&, i = Index{0}](const ReportFrame& frame) mutable {
		out << "{\"name\": " << quoted(frame_text(report, i++));
		write_place(report, frame, out);
		out << '}';
	});
	out << "]}";
}

void write_profile(const Report& report, const ThreadSamples& thread, SampleUnit unit, std::ostream& out)
{
	std::uint64_t sum = 0;
	for (const ReportSample& sample : thread.samples)
		sum += value_of(sample, unit);
	out << "{\"type\": \"sampled\", \"name\": " << quoted(name_of(report, thread)) << ", \"unit\": \""
	    << (unit == SampleUnit::ns ? "nanoseconds" : "none") << "\", \"startValue\": 0, \"endValue\": " << sum
	    << ",\n   \"samples\": [";
	write_separated(thread.samples, out, ",", [&](const ReportSample& sample) {
		out << '[';
		write_separated(outermost_first(report, sample), out, ",", [&](Index frame) { out << frame; });
		out << ']';
	});
	out << "],\n   \"weights\": [";
	write_separated(thread.samples, out, ",", [&](const ReportSample& sample) { out << value_of(sample, unit); });
	out << "]}";
}

} // namespace

void write_speedscope(const Report& report, std::ostream& out)
{
	const SampleUnit unit = unit_of(report);
	out << "{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n \"exporter\": "
	    << quoted("uwind " + report.host.uwind) << ",\n \"name\": " << quoted(report.session.target)
	    << ",\n \"shared\": ";
	write_frames(report, out);
	out << ",\n \"profiles\": [\n  ";
	write_separated(threads_of(report), out, ",\n  ",
			[&](const ThreadSamples& thread) { write_profile(report, thread, unit, out); });
	out << "]}\n";
}

} // namespace uwind
