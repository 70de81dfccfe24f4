// SPDX-License-Identifier: GPL-2.0
// Samples as profiles of the OpenTelemetry protocol. Protobuf joins what is written one after the other, and JSON is
// written entry by entry: so only one resource is in memory, besides the dictionary.
#include "export/otlp.h"

#include <cerrno>
#include <google/protobuf/util/json_util.h>
#include <ostream>
#include <string>
#include <utility>

#include "base/text.h"
#include "export/json_text.h"
#include "export/otlp_profiles.h"

namespace uwind {
namespace {

// By protobuf's rules, which OTLP's are but for bytes. It cannot fail: all texts are UTF-8.
void write_message(const google::protobuf::Message& message, std::ostream& out)
{
	std::string text;
	(void)google::protobuf::util::MessageToJsonString(message, &text);
	out << text;
}

template <typename Table>
void write_table(const char* name, const Table& table, std::ostream& out)
{
	out << '"' << name << "\":[";
	write_separated(table, out, ",", [&](const auto& row) { write_message(row, out); });
	out << "],";
}

// In hexadecimal digits, not in base64.
void write_links(const otlp::ProfilesDictionary& dictionary, std::ostream& out)
{
	out << "\"linkTable\":[";
	write_separated(dictionary.link_table(), out, ",", [&](const otlp::Link& link) {
		const auto digits = [](const std::string& id) {
			return digits_of({reinterpret_cast<const std::uint8_t*>(id.data()), id.size()});
		};
		out << R"({"traceId":")" << digits(link.trace_id()) << R"(","spanId":")" << digits(link.span_id())
		    << "\"}";
	});
	out << "],";
}

void write_dictionary(const otlp::ProfilesDictionary& dictionary, std::ostream& out)
{
	out << "\"dictionary\":{";
	write_table("mappingTable", dictionary.mapping_table(), out);
	write_table("locationTable", dictionary.location_table(), out);
	write_table("functionTable", dictionary.function_table(), out);
	write_links(dictionary, out);
	write_table("attributeTable", dictionary.attribute_table(), out);
	write_table("stackTable", dictionary.stack_table(), out);
	out << "\"stringTable\":[";
	write_separated(dictionary.string_table(), out, ",", [&](const std::string& text) { out << quoted(text); });
	out << "]}";
}

} // namespace

void write_otlp(const Report& report, std::ostream& out)
{
	OtlpProfiles profiles(report);
	profiles.each_resource([&](const otlp::ProfilesData& part) { part.SerializeToOstream(&out); });
	profiles.dictionary().SerializeToOstream(&out);
}

void write_otlp_json(const Report& report, std::ostream& out)
{
	OtlpProfiles profiles(report);
	const char* before = "{\"resourceProfiles\":[";
	profiles.each_resource([&](const otlp::ProfilesData& part) {
		out << std::exchange(before, ",");
		write_message(part.resource_profiles(0), out);
	});
	out << (*before == ',' ? "" : before) << "],";
	write_dictionary(profiles.dictionary().dictionary(), out);
	out << "}\n";
}

Status check_otlp(const Report& report)
{
	if (report.samples.size() <= otlp_max_samples)
		return Nothing{};
	return Error{EINVAL, "the report has " + std::to_string(report.samples.size()) +
				     " samples, and OTLP's message at most " + std::to_string(otlp_max_samples) +
				     ": choose fewer, by --time, --pid or --event"};
}

} // namespace uwind
