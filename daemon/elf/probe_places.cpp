// SPDX-License-Identifier: GPL-2.0
// Where probes can be put into a file.
//
// A note: lengths of name and descriptor, type 3, "stapsdt", three addresses (probe, .stapsdt.base as it was linked,
// semaphore), then three texts (provider, name, arguments).
#include "elf/probe_places.h"

#include "elf/sections.h"

#include <algorithm>

namespace uwind {
namespace {

constexpr std::uint32_t stap_type = 3;
constexpr std::size_t most_notes = 65536;

std::string_view text_of(Bytes bytes)
{
	const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
	return all.substr(0, std::min(all.find('\0'), all.size()));
}

// Cuts a text that ends with a zero off the front.
std::string take_text(Bytes& bytes)
{
	std::string text(text_of(bytes));
	bytes = bytes.subspan(std::min(text.size() + 1, bytes.size()));
	return text;
}

std::uint64_t padded(std::uint64_t bytes)
{
	return (bytes + 3) & ~std::uint64_t{3};
}

std::optional<StapNote> parse_note(Bytes descriptor, bool narrow, std::optional<std::uint64_t> base)
{
	ByteCursor cursor(descriptor);
	const auto word = [&] { return narrow ? cursor.u32() : cursor.u64(); };
	StapNote note;
	note.address = word();
	const std::uint64_t linked_base = word();
	note.semaphore = word();
	Bytes texts = cursor.take(cursor.left());
	if (!cursor.ok())
		return std::nullopt;
	note.provider = take_text(texts);
	note.name = take_text(texts);
	const std::uint64_t moved = base && linked_base ? *base - linked_base : 0;
	note.address += moved;
	note.semaphore += note.semaphore ? moved : 0;
	return note;
}

} // namespace

std::vector<StapNote> stap_notes(const ElfFile& file)
{
	std::vector<StapNote> notes;
	const auto section = unloaded_section(file, ".note.stapsdt");
	if (!section || !*section)
		return notes;
	const auto base = file.section_address(".stapsdt.base");
	ByteCursor cursor((*section)->bytes);
	while (!cursor.done() && notes.size() < most_notes) {
		const std::uint64_t name_bytes = cursor.u32(), descriptor_bytes = cursor.u32();
		const std::uint32_t type = cursor.u32();
		const Bytes name = cursor.take(padded(name_bytes));
		const Bytes descriptor = cursor.take(descriptor_bytes);
		if (!cursor.ok())
			return notes;
		cursor.skip(std::min(padded(descriptor_bytes) - descriptor_bytes, cursor.left()));
		if (type != stap_type || text_of(name) != "stapsdt")
			continue;
		if (auto note = parse_note(descriptor, file.image().is_narrow(), base))
			notes.push_back(std::move(*note));
	}
	return notes;
}

std::optional<std::uint64_t> offset_of_address(const ElfFile& file, std::uint64_t address)
{
	for (const Segment& segment : file.loads())
		if (address >= segment.address && address - segment.address < segment.bytes)
			return address - segment.address + segment.offset;
	return std::nullopt;
}

} // namespace uwind
