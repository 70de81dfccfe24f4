// SPDX-License-Identifier: GPL-2.0
// Records of perf that tell of changes of the kernel's text.
#include "io/ksymbol_record.h"
#include "io/text_changes_perf.h"

namespace uwind {
namespace {

constexpr std::uint32_t record_ksymbol = 17;
constexpr std::uint32_t record_text_poke = 20;
constexpr std::uint16_t out_of_line = 2;

template <typename T>
void take_sample_id(ByteCursor& cursor, T& event, std::uint64_t& time_ns)
{
	event.pid = cursor.u32();
	event.tid = cursor.u32();
	time_ns = cursor.u64();
	event.cpu = cursor.u32();
}

std::optional<TextEvent> change_in(ByteCursor cursor)
{
	TextChange change;
	change.address = cursor.u64();
	const std::uint16_t old_bytes = cursor.u16();
	const std::uint16_t new_bytes = cursor.u16();
	const Bytes before = cursor.take(old_bytes);
	const Bytes after = cursor.take(new_bytes);
	skip_to_sample_id(cursor);
	take_sample_id(cursor, change, change.until_ns);
	if (!cursor.ok() || after.empty() || (!before.empty() && before.size() != after.size()))
		return std::nullopt;
	change.before.assign(before.begin(), before.end());
	change.after.assign(after.begin(), after.end());
	change.from_ns = change.until_ns;
	return change;
}

std::optional<TextEvent> region_in(ByteCursor cursor)
{
	TextRegion region;
	KsymbolRecord symbol = take_ksymbol(cursor);
	region.ranges = {{symbol.address, symbol.bytes}};
	region.owner = symbol.type == out_of_line ? TextOwner::OUT_OF_LINE : TextOwner::BPF;
	region.comes = !symbol.unregisters;
	region.name = std::move(symbol.name);
	take_sample_id(cursor, region, region.time_ns);
	if (!cursor.ok() || region.ranges.front().bytes == 0)
		return std::nullopt;
	return region;
}

} // namespace

std::optional<TextEvent> text_event_in(Bytes record)
{
	if (record.size() < sizeof(perf_event_header))
		return std::nullopt;
	const std::uint32_t type = word_at(record, 0);
	const ByteCursor cursor(record.subspan(sizeof(perf_event_header)));
	if (type == record_text_poke)
		return change_in(cursor);
	return type == record_ksymbol ? region_in(cursor) : std::nullopt;
}

} // namespace uwind
