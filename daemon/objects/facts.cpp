// SPDX-License-Identifier: GPL-2.0
// The facts of a file that a report shows.
#include "objects/facts.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>

namespace uwind {
namespace {

constexpr std::size_t max_needed = 1024;
constexpr std::uint64_t max_name_bytes = 4096;

std::string text_of(Bytes bytes)
{
	return std::string(bytes.begin(), std::find(bytes.begin(), bytes.end(), 0));
}

// A string of the dynamic section's string table; "": it is not in the file.
std::string dynamic_string(const ElfFile& file, std::uint64_t strings, std::uint64_t at)
{
	return text_of(file.read(strings + at, max_name_bytes));
}

std::string interpreter_of(const ElfFile& file)
{
	const ElfHeader* const header = file.program(PT_INTERP);
	const Result<Bytes> bytes = header && header->bytes <= max_name_bytes
					    ? file.image().chunk(header->offset, header->bytes, "interpreter")
					    : Result<Bytes>(Bytes{});
	return bytes ? text_of(*bytes) : "";
}

void read_dynamic(const ElfFile& file, ObjectFacts& facts)
{
	const std::vector<ElfDynamic> entries = file.dynamic();
	const auto strings = std::find_if(entries.begin(), entries.end(),
					  [](const ElfDynamic& entry) { return entry.tag == DT_STRTAB; });
	for (const ElfDynamic& entry : strings == entries.end() ? std::vector<ElfDynamic>{} : entries) {
		const bool needed = entry.tag == DT_NEEDED;
		if (!needed && entry.tag != DT_RPATH && entry.tag != DT_RUNPATH)
			continue;
		auto& list = needed ? facts.needed : facts.library_folders;
		if (list.size() < max_needed)
			list.push_back(dynamic_string(file, strings->value, entry.value));
	}
}

} // namespace

ObjectFacts facts_of(const ElfFile& file)
{
	ObjectFacts facts;
	facts.arch = file.arch();
	facts.entry = file.entry();
	facts.build_id = file.build_id();
	facts.segments = file.loads();
	facts.interpreter = interpreter_of(file);
	read_dynamic(file, facts);
	return facts;
}

std::string script_interpreter(int fd)
{
	char line[256] = "";
	const ssize_t length = ::pread(fd, line, sizeof(line) - 1, 0);
	if (length < 2 || std::memcmp(line, "#!", 2) != 0)
		return "";
	const char* name = line + 2 + std::strspn(line + 2, " \t");
	return std::string(name, std::strcspn(name, " \t\r\n"));
}

} // namespace uwind
