// SPDX-License-Identifier: GPL-2.0
#include "tables/known/indexed_calls.h"

#include "base/byte_cursor.h"
#include "tables/isa/arm/instruction.h"

namespace uwind {
namespace {

// Where ARM code is, nearly every word has the condition "always" (A5.1).
bool looks_thumb(Bytes code)
{
	constexpr std::uint8_t always = 0xe;
	std::size_t words = 0, unconditional = 0;
	for (std::size_t at = 3; at < code.size(); at += 4, words++)
		unconditional += code[at] >> 4 == always;
	return unconditional * 2 < words;
}

// A narrow instruction of T32 that is no call (A6.2.3); most are.
bool is_narrow(Bytes code)
{
	return code.size() >= 2 && half_at(code, 0) < 0xe800 && (half_at(code, 0) & 0xff80) != 0x4780;
}

// The calls in a stretch of code at an address, each with the stretch's rule.
void add_calls(const Stretch& known, Bytes code, std::uint64_t address, std::vector<Stretch>& stretches)
{
	const bool thumb = looks_thumb(code);
	for (std::uint32_t at = 0; at < code.size();) {
		if (thumb && is_narrow(code.subspan(at))) {
			at += 2;
			continue;
		}
		const ArmInstruction instruction =
			decode_arm(code.subspan(at), static_cast<std::uint32_t>(address + at), thumb);
		const std::uint32_t start = known.start + at;
		at += instruction.bytes ? instruction.bytes : thumb ? 2 : 4;
		if (instruction.bytes && instruction.flow == ArmFlow::call)
			stretches.push_back({start, start + instruction.bytes, known.rule});
	}
}

} // namespace

std::vector<Stretch> calls_in(const ElfFile& file, const std::vector<Stretch>& stretches)
{
	std::vector<Stretch> calls;
	for (const Stretch& known : stretches)
		for (const Segment& segment : file.segments()) {
			const std::uint64_t into = known.start - segment.offset;
			if (into < segment.bytes)
				add_calls(known, file.read(segment.address + into, known.end - known.start),
					  segment.address + into, calls);
		}
	return calls;
}

} // namespace uwind
