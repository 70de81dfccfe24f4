// SPDX-License-Identifier: GPL-2.0
// Samples as a perf.data file: header, identifiers of events, events, records, a table of sections, sections.
#include "export/perf_data.h"

#include <algorithm>
#include <ctime>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "export/measures.h"
#include "export/perf_record.h"
#include "export/perf_records.h"

namespace uwind {
namespace {

using namespace perf_data;

constexpr std::uint64_t header_bytes = 104, part_bytes = 16, identifier_bytes = 8;

perf_event_attr attribute_of(const ReportEvent& event)
{
	perf_event_attr attribute{};
	attribute.size = sizeof(attribute);
	attribute.type = PERF_TYPE_SOFTWARE;
	attribute.config = PERF_COUNT_SW_CPU_CLOCK; // of whatever: its name is in a section
	attribute.sample_type = perf_sample_type;
	attribute.sample_id_all = 1;
	attribute.freq = event.is_frequency;
	attribute.sample_period = event.rate; // or sample_freq, which has the same place
	attribute.mmap = attribute.mmap2 = attribute.comm = attribute.comm_exec = attribute.build_id = 1;
	attribute.use_clockid = 1;
	attribute.clockid = CLOCK_BOOTTIME;
	return attribute;
}

// Each event with where its one identifier stands.
PerfBytes attributes_of(const std::vector<ReportEvent>& events)
{
	PerfBytes bytes;
	for (std::size_t i = 0; i < events.size(); i++)
		bytes.number(attribute_of(events[i])).u64(header_bytes + i * identifier_bytes).u64(identifier_bytes);
	return bytes;
}

PerfBytes identifiers_of(const std::vector<ReportEvent>& events)
{
	PerfBytes bytes;
	for (std::size_t i = 0; i < events.size(); i++)
		bytes.u64(i + 1);
	return bytes;
}

PerfBytes names_of(const std::vector<ReportEvent>& events)
{
	PerfBytes bytes;
	bytes.u32(static_cast<std::uint32_t>(events.size())).u32(sizeof(perf_event_attr));
	for (std::size_t i = 0; i < events.size(); i++)
		bytes.number(attribute_of(events[i])).u32(1).counted(events[i].name).u64(i + 1);
	return bytes;
}

bool is_kernel(const ReportModule& module)
{
	return module.path.starts_with('[') && module.path != "[vdso]";
}

PerfBytes build_ids_of(const Report& report)
{
	PerfBytes bytes;
	std::set<std::pair<std::string, std::string>> seen;
	for (const ReportModule& module : report.modules) {
		const std::string id = bytes_of_digits(module.build_id).substr(0, build_id_bytes);
		if (id.empty() || !seen.insert({module.path, id}).second)
			continue;
		PerfBytes body;
		body.u32(~0u).add(id).add(std::string(build_id_bytes - id.size(), '\0'));
		body.u8(static_cast<std::uint8_t>(id.size())).u8(0).u16(0).text(module.path);
		bytes.add(perf_record(0, (is_kernel(module) ? misc_kernel : misc_user) | misc_build_id_size, body));
	}
	return bytes;
}

PerfBytes text_of(const std::string& text)
{
	return PerfBytes().counted(text);
}

// By ascending numbers.
std::vector<std::pair<unsigned, PerfBytes>> sections_of(const Report& report, const std::vector<ReportEvent>& events)
{
	return {{feature_build_id, build_ids_of(report)},
		{feature_hostname, text_of(report.host.hostname)},
		{feature_osrelease, text_of(report.host.kernel)},
		{feature_version, text_of("uwind " + report.host.uwind)},
		{feature_arch, text_of(report.host.arch == "arm64" ? "aarch64" : report.host.arch)}, // as uname -m
		{feature_cmdline, PerfBytes().u32(2).counted("uwind").counted(report.session.target)},
		{feature_event_desc, names_of(events)}};
}

PerfBytes header_of(std::size_t events, std::uint64_t data_bytes,
		    const std::vector<std::pair<unsigned, PerfBytes>>& sections)
{
	const std::uint64_t attributes = header_bytes + events * identifier_bytes;
	const std::uint64_t attribute_bytes = sizeof(perf_event_attr) + part_bytes;
	std::string bitmap(number_of_features / 8, '\0');
	for (const auto& [feature, bytes] : sections)
		bitmap[feature / 8] = static_cast<char>(bitmap[feature / 8] | 1 << feature % 8);
	PerfBytes header;
	header.add("PERFILE2").u64(header_bytes).u64(attribute_bytes);
	header.u64(attributes).u64(events * attribute_bytes);
	header.u64(attributes + events * attribute_bytes).u64(data_bytes);
	return header.u64(0).u64(0).add(bitmap);
}

} // namespace

// The records are made twice, since the header says how long they are: so a large report takes no memory.
void write_perf_data(const Report& report, std::ostream& out)
{
	const auto events = events_of(report);
	const auto sections = sections_of(report, events);
	std::uint64_t data_bytes = 0;
	each_perf_record(report, [&](std::string_view record) { data_bytes += record.size(); });
	const PerfBytes attributes = attributes_of(events);
	out << header_of(events.size(), data_bytes, sections).bytes() << identifiers_of(events).bytes()
	    << attributes.bytes();
	each_perf_record(report, [&](std::string_view record) { out << record; });
	std::uint64_t at = header_bytes + events.size() * identifier_bytes + attributes.size() + data_bytes +
			   sections.size() * part_bytes;
	for (const auto& [feature, bytes] : sections) {
		out << PerfBytes().u64(at).u64(bytes.size()).bytes();
		at += bytes.size();
	}
	for (const auto& [feature, bytes] : sections)
		out << bytes.bytes();
}

} // namespace uwind
