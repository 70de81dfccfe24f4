// SPDX-License-Identifier: GPL-2.0
// Records of perf of the type KSYMBOL.
#include "io/ksymbol_record.h"

namespace uwind {
namespace {

constexpr std::uint16_t unregister = 1; // PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER

} // namespace

void skip_to_sample_id(ByteCursor& in)
{
	constexpr std::uint64_t word = 8;
	in.skip((word - in.position() % word) % word);
}

KsymbolRecord take_ksymbol(ByteCursor& in)
{
	KsymbolRecord record;
	record.address = in.u64();
	record.bytes = in.u32();
	record.type = in.u16();
	record.unregisters = in.u16() & unregister;
	while (const auto letter = static_cast<char>(in.u8()))
		record.name += letter;
	skip_to_sample_id(in);
	return record;
}

} // namespace uwind
