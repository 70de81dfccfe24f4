// SPDX-License-Identifier: GPL-2.0
// A log of the kernel's text as JSON, by include/uwind-report.schema.json; written entry by entry.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "base/text.h"
#include "export/text_summary.h"

namespace uwind {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json)
{
	return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string kernel_arch(Arch arch)
{
	return arch == Arch::arm64 ? "arm64" : "x86_64";
}

void add_author(Json& json, const TextAuthor& author)
{
	json["pid"] = author.pid;
	json["tid"] = author.tid;
	json["cpu"] = author.cpu;
	json["comm"] = author.comm;
}

Json json_of(const TextEdit& edit)
{
	Json json = {{"type", "change"},
		     {"from_ns", edit.from_ns},
		     {"until_ns", edit.until_ns},
		     {"address", hex(edit.address)},
		     {"kind", text_kind_name(edit.kind)},
		     {"what", edit.what},
		     {"before", edit.before_known ? Json(digits_of(edit.before)) : Json(nullptr)},
		     {"after", digits_of(edit.after)}};
	add_author(json, edit.author);
	json["callers"] = Json::array();
	for (const std::uint64_t caller : edit.callers)
		json["callers"].push_back(hex(caller));
	return json;
}

// Its bytes are in the log only.
Json json_of(const TextArea& area)
{
	Json json = {{"type", area.at_begin ? "there"
			      : area.comes  ? "comes"
					    : "goes"},
		     {"time_ns", area.time_ns},
		     {"address", hex(area.address)},
		     {"length", area.length},
		     {"place", text_place_name(area.place)},
		     {"name", area.name},
		     {"content_known", area.content_known}};
	add_author(json, area.author);
	return json;
}

Json json_of(const TextLoss& loss)
{
	return {{"type", "lost"}, {"time_ns", loss.time_ns}, {"count", loss.count}};
}

Json json_of(const TextLook& look)
{
	return {{"type", "look"},
		{"time_ns", look.time_ns},
		{"bytes", look.bytes},
		{"different", look.different},
		{"tries", look.tries}};
}

Json json_of(const TextSymbols&)
{
	return nullptr;
}

Json json_of(const TextEnd&)
{
	return nullptr;
}

// The report's other keys: nothing was sampled.
void write_frame(const TextLog& log, std::uint64_t end_ns, const std::string& uwind, std::ostream& out)
{
	const Json host = {{"kernel", log.head.release},
			   {"arch", kernel_arch(log.head.arch)},
			   {"hostname", ""},
			   {"boot_id", log.head.boot_id},
			   {"uwind", uwind},
			   {"abi", 0}};
	const Json session = {{"event", "text"},
			      {"period", 1},
			      {"started", rfc3339(log.head.begin_s)},
			      {"duration_ns", end_ns - log.head.begin_ns},
			      {"target", "kernel text"}};
	out << "{\n \"schema\": \"uwind-report/1\",\n \"host\": " << text_of(host)
	    << ",\n \"session\": " << text_of(session)
	    << ",\n \"processes\": [],\n \"modules\": [],\n \"frames\": [],\n \"stacks\": [],\n \"samples\": [],\n"
	    << " \"counters\": {\"requested\": 0, \"answered\": 0, \"lost\": {\"pending\": 0}, \"stops\": {}},\n";
}

} // namespace

void write_text_json(const TextLog& log, const std::string& uwind, std::ostream& out)
{
	const TextCounts counts = counts_of(log);
	const std::uint64_t last_ns = log.entries.empty() ? 0 : time_of(log.entries.back());
	const std::uint64_t end_ns = std::max(last_ns, log.head.begin_ns);
	write_frame(log, end_ns, uwind, out);
	Json kinds = Json::object();
	for (std::size_t kind = 0; kind < text_kinds; kind++)
		kinds[text_kind_name(static_cast<TextKind>(kind))] = counts.edits[kind];
	const Json sums = {{"kinds", kinds},
			   {"lost", counts.lost},
			   {"unplaced", counts.unplaced},
			   {"different", counts.different},
			   {"looks", counts.looks}};
	out << " \"text_changes\": {\n  \"begin_ns\": " << log.head.begin_ns << ", \"end_ns\": " << end_ns
	    << ", \"complete\": " << (log.cut_short ? "false" : "true") << ",\n  \"sums\": " << text_of(sums)
	    << ",\n  \"entries\": [";
	const char* separator = "\n   ";
	for (const TextEntry& entry : log.entries) {
		const Json json = std::visit([](const auto& one) { return json_of(one); }, entry);
		if (json.is_null())
			continue;
		out << separator << text_of(json);
		separator = ",\n   ";
	}
	out << "\n  ]\n }\n}\n";
}

} // namespace uwind
