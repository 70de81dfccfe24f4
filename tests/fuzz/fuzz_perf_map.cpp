// SPDX-License-Identifier: GPL-2.0
// Any bytes as a perf map, read in pieces: each line is an entry or a bad one, whatever the pieces are, and an entry
// that is written anew is read as the same. The first byte says how large pieces are.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "jit/perf_map.h"
#include "unit/fake_generated_code.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes)
{
	if (!bytes)
		return 0;
	const std::string text(reinterpret_cast<const char*>(data + 1), bytes - 1);
	uwind::FakeNotes notes(text, "fuzzed", data[0] ? data[0] : ~std::size_t{0});
	std::uint64_t entries = 0;
	const auto flaws = uwind::read_perf_map(notes, [&](const uwind::PerfMapEntry& entry) {
		entries++;
		char numbers[64];
		std::snprintf(numbers, sizeof(numbers), "%llx %llx ", static_cast<unsigned long long>(entry.start),
			      static_cast<unsigned long long>(entry.bytes));
		const std::string written = numbers + std::string(entry.name);
		const auto again = uwind::parse_perf_map_line(written);
		if (entry.name.empty() || entry.start + entry.bytes < entry.start || !again ||
		    again->start != entry.start || again->bytes != entry.bytes || again->name != entry.name)
			std::abort();
	});
	const auto ends = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
	const std::uint64_t lines = ends + (!text.empty() && text.back() != '\n');
	if (entries + flaws.bad != lines || flaws.refused || flaws.longer)
		std::abort();
	return 0;
}
