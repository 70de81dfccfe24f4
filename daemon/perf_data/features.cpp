// SPDX-License-Identifier: GPL-2.0
// What a perf.data file says of the recording beside its records.
#include "perf_data/features.h"

#include <algorithm>

#include "base/text.h"

namespace uwind::perf_data {
namespace {

std::string text_in(Bytes bytes)
{
	return std::string(bytes.begin(), std::find(bytes.begin(), bytes.end(), 0));
}

// A length, and a text padded to it.
std::string sized_text(ByteCursor& cursor)
{
	const std::uint32_t bytes = cursor.u32();
	if (bytes > most_text_bytes)
		cursor.fail();
	return cursor.ok() ? text_in(cursor.take(bytes)) : "";
}

// Quoted where a shell would need that.
std::string argument(const std::string& text)
{
	const bool is_plain = !text.empty() && text.find_first_of(" \t\n\"'\\$`*?;&|<>()") == std::string::npos;
	return is_plain ? text : "'" + text + "'";
}

std::string command_at(ByteCursor& cursor)
{
	std::string command;
	for (std::uint32_t left = cursor.u32(); left && cursor.ok() && command.size() < most_text_bytes; left--)
		command += (command.empty() ? "" : " ") + argument(sized_text(cursor));
	return command;
}

// One for each event, in the order of attributes.
std::vector<std::string> event_names_at(ByteCursor& cursor)
{
	std::vector<std::string> names;
	const std::uint32_t events = cursor.u32();
	const std::uint32_t attribute_bytes = cursor.u32();
	if (events > most_attributes)
		cursor.fail();
	for (std::uint32_t i = 0; i < events && cursor.ok(); i++) {
		cursor.skip(attribute_bytes);
		const std::uint64_t ids = cursor.u32();
		names.push_back(sized_text(cursor));
		cursor.skip(ids * sizeof(std::uint64_t));
	}
	return names;
}

// A record's head, a process, the build-id with its size, the path. Old files do not say the size.
PerfBuildId build_id_in(std::uint16_t misc, Bytes body)
{
	ByteCursor cursor(body, sizeof(std::uint32_t));
	const Bytes bytes = cursor.take(build_id_bytes);
	const std::uint8_t said = cursor.u8();
	cursor.skip(3);
	const std::size_t size =
		misc & misc_build_id_size ? std::min<std::size_t>(said, build_id_bytes) : build_id_bytes;
	PerfBuildId entry;
	if (!cursor.ok())
		return entry;
	entry.build_id = digits_of(bytes.first(size));
	entry.kernel = (misc & misc_mode) == misc_kernel;
	entry.path = text_in(cursor.take(cursor.left()));
	return entry;
}

std::vector<PerfBuildId> build_ids_at(ByteCursor& cursor)
{
	std::vector<PerfBuildId> entries;
	while (!cursor.done()) {
		cursor.skip(sizeof(std::uint32_t));
		const std::uint16_t misc = cursor.u16();
		const std::uint16_t size = cursor.u16();
		if (size < record_head_bytes)
			cursor.fail();
		PerfBuildId entry =
			build_id_in(misc, cursor.take(size - std::min<std::size_t>(size, record_head_bytes)));
		if (cursor.ok() && !entry.path.empty())
			entries.push_back(std::move(entry));
	}
	return entries;
}

// Reads sections one by one. The first that is broken ends in an error.
class Reader {
public:
	Reader(const FileBytes& file, const FileHeader& header) : file_(file), header_(header) {}

	template <typename Value, typename Take>
	void section(unsigned feature, const char* what, Take take, Value& value)
	{
		const auto part = header_.features.find(feature);
		if (part == header_.features.end() || !status)
			return;
		const auto bytes = file_.read(part->second, what, most_feature_bytes);
		if (!bytes) {
			status = bytes.error();
			return;
		}
		ByteCursor cursor(*bytes);
		value = take(cursor);
		if (!cursor.ok())
			status = file_.wrong(std::string(what) + " contradicts itself");
	}

	Status status = Nothing{};

private:
	const FileBytes& file_;
	const FileHeader& header_;
};

PerfEvent event_of(const Attribute& attribute, const std::string& name)
{
	PerfEvent event;
	event.name = !name.empty() ? name : "event " + std::to_string(attribute.type) + ":" + hex(attribute.config);
	event.is_frequency = attribute.is_frequency;
	event.rate = attribute.rate;
	event.user_only = attribute.user_only;
	return event;
}

} // namespace

Result<PerfHeader> read_features(const FileBytes& file, const FileHeader& header, const Attributes& attributes)
{
	PerfHeader result;
	std::vector<std::string> names;
	Reader reader(file, header);
	reader.section(feature_hostname, "the host's name", sized_text, result.hostname);
	reader.section(feature_osrelease, "the kernel's release", sized_text, result.release);
	reader.section(feature_version, "perf's version", sized_text, result.perf);
	reader.section(feature_arch, "the machine's kind", sized_text, result.machine);
	reader.section(feature_cmdline, "the command", command_at, result.command);
	reader.section(feature_event_desc, "the list of events' names", event_names_at, names);
	reader.section(feature_build_id, "the list of build-ids", build_ids_at, result.build_ids);
	if (!reader.status)
		return reader.status.error();
	names.resize(attributes.all().size());
	for (std::size_t i = 0; i < names.size(); i++)
		result.events.push_back(event_of(attributes.all()[i], names[i]));
	result.clock = attributes.all()[0].clock;
	result.written = file.modified();
	return result;
}

} // namespace uwind::perf_data
