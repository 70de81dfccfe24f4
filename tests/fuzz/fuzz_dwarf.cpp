// SPDX-License-Identifier: GPL-2.0
// Any bytes as a file with debug information: what is said of addresses has an order and an end, or the file has none.
// What reads it is libdw, which is not instrumented: the corpus has each form that compilers write.
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

#include "dwarf/source_lines.h"

namespace {

using namespace uwind;

// Programs of the corpus are linked to the first, and files that are still to be linked begin at the second.
constexpr std::uint64_t starts[] = {0x1000, 0x10000}, code_bytes = 0x200;

void expect(bool is_so)
{
	if (!is_so)
		std::abort();
}

std::vector<std::uint64_t> addresses()
{
	std::vector<std::uint64_t> result;
	for (const std::uint64_t start : starts)
		for (std::uint64_t at = 0; at < code_bytes; at += 3)
			result.push_back(start + at);
	return result;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
	const auto fd = std::make_shared<UniqueFd>(::memfd_create("dwarf", MFD_CLOEXEC));
	expect(*fd && ::write(fd->get(), data, size) == static_cast<ssize_t>(size));
	split_debug_of(fd->get());
	// The file itself is what it shares with others: it is there, and its build-id may even be right.
	auto lines = SourceLines::open(fd, [&](const SharedDebug& shared) {
		expect(shared.build_id.size() <= 128);
		return fd;
	});
	if (!lines)
		return 0;
	const auto asked = addresses();
	const auto places = lines->at(asked);
	expect(places.size() == asked.size());
	for (const auto& place : places)
		expect(place.size() <= 256);
	static_cast<void>(lines->lacks());
	return 0;
}
