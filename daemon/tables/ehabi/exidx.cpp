// SPDX-License-Identifier: GPL-2.0
// EHABI32 ("Exception Handling ABI for the Arm Architecture"), 5, 6 and 10.2. An entry is
// two words, the first of which leads to its code. What the second can be:
//
//   1                                      cannot unwind
//   1000 0000 | opcode | opcode | opcode   the table itself
//   0 | offset                             where the table is; its first word is
//     1000 0000 | opcode | opcode | opcode      Su16
//     1000 0001 | words  | opcode | opcode      Lu16: so many more words of opcodes
//     1000 0010 | words  | opcode | opcode      Lu32: the same
//     0 | offset of a personality routine       generic
//
// What lies after a generic table's first word belongs to its personality routine.
// Those of GNU and LLVM, for every language, have one layout there: a word of
// | words | opcode | opcode | opcode |, then so many more.
//
// All offsets are prel31: 31 bits, signed, counted from the word that holds them.
#include "tables/ehabi/exidx.h"

#include "elf/sections.h"
#include "elf/segments.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace uwind {
namespace {

constexpr std::uint32_t cannot_unwind = 1;
constexpr std::uint32_t high_bit = 0x80000000;
constexpr std::uint32_t entry_bytes = 8;
constexpr std::uint64_t max_table_bytes = 4 * (1 + 1 + 255); // generic: personality, first word, 255 more

std::uint32_t prel31(std::uint32_t place, std::uint32_t word)
{
	return place + (((word & ~high_bit) ^ 0x40000000) - 0x40000000);
}

Error broken(std::uint64_t offset, const char* why)
{
	char text[160];
	std::snprintf(text, sizeof(text), "PT_ARM_EXIDX+0x%llx: %s", static_cast<unsigned long long>(offset), why);
	return Error{EBADMSG, text};
}

// An entry's words, and the addresses that they lead to.
struct RawEntry {
	std::uint32_t start;
	std::uint32_t second;
	std::uint32_t table; // if second is an offset

	bool has_table() const { return second != cannot_unwind && !(second & high_bit); }
};

class IndexReader {
public:
	IndexReader(const ElfFile& file, const ElfSection& section) : file_(file), section_(section) {}

	Status read_words();
	std::vector<ExidxEntry> entries();

private:
	void read_tables();
	std::uint64_t end_of(std::size_t number, const Segment& segment) const;
	ExidxEntry entry(std::size_t number, const Segment& segment) const;
	void read_inline(ExidxEntry& entry, std::size_t number) const;
	void read_table(ExidxEntry& entry, std::uint32_t table) const;

	const ElfFile& file_;
	const ElfSection& section_;
	std::vector<RawEntry> raw_;
	std::uint64_t tables_address_ = 0; // of tables_[0]
	Bytes tables_;                     // from the first one to the end of the last one, or of the segment
};

Status IndexReader::read_words()
{
	if (section_.bytes.size() % entry_bytes)
		return broken(section_.bytes.size(), "the last entry is cut short");
	if (section_.bytes.size() / entry_bytes > max_exidx_entries)
		return Error{E2BIG, "PT_ARM_EXIDX has more entries than a program can need"};
	raw_.reserve(section_.bytes.size() / entry_bytes);
	for (ByteCursor cursor(section_.bytes); !cursor.done();) {
		const std::uint64_t offset = cursor.position();
		const auto place = static_cast<std::uint32_t>(section_.address + offset);
		const std::uint32_t first = cursor.u32(), second = cursor.u32();
		if (first & high_bit)
			return broken(offset, "the entry does not begin with an offset");
		const std::uint32_t start = prel31(place, first) & ~1u;
		if (!raw_.empty() && start < raw_.back().start)
			return broken(offset, "the entry's code lies before that of the entry in front of it");
		raw_.push_back({start, second, prel31(place + 4, second)});
	}
	return Nothing{};
}

// Tables lie side by side, in the index's segment: one read serves all.
void IndexReader::read_tables()
{
	const std::optional<Segment> segment = file_.segment_at(section_.address);
	std::uint64_t first = ~std::uint64_t{0}, last = 0;
	for (const RawEntry& raw : raw_) {
		if (!segment || !raw.has_table() || !segment_holds(*segment, raw.table, 4))
			continue;
		first = std::min<std::uint64_t>(first, raw.table);
		last = std::max<std::uint64_t>(last, raw.table);
	}
	if (first > last)
		return;
	tables_address_ = first;
	tables_ = file_.read(first, last - first + max_table_bytes);
}

std::vector<ExidxEntry> IndexReader::entries()
{
	std::vector<ExidxEntry> result;
	result.reserve(raw_.size());
	read_tables();
	for (std::size_t i = 0; i < raw_.size(); i++) {
		const std::uint64_t start = raw_[i].start;
		const Segment* segment = find_segment(file_.segments(), start, 1);
		if (segment && end_of(i, *segment) > start)
			result.push_back(entry(i, *segment));
		// Linkers write a last entry for what comes after all code.
		else if (!segment && raw_[i].second != cannot_unwind)
			result.push_back({start, start, ExidxKind::unknown, CfiReason::outside, 0, {}});
	}
	return result;
}

std::uint64_t IndexReader::end_of(std::size_t number, const Segment& segment) const
{
	const std::uint64_t end = segment.address + segment.bytes;
	return number + 1 < raw_.size() ? std::min<std::uint64_t>(end, raw_[number + 1].start) : end;
}

ExidxEntry IndexReader::entry(std::size_t number, const Segment& segment) const
{
	const RawEntry& raw = raw_[number];
	ExidxEntry entry;
	entry.start = raw.start;
	entry.end = end_of(number, segment);
	if (raw.second == cannot_unwind)
		entry.kind = ExidxKind::cannot_unwind;
	else if (raw.has_table())
		read_table(entry, raw.table);
	else
		read_inline(entry, number);
	return entry;
}

void use_opcodes(ExidxEntry& entry, Bytes words, std::uint8_t skip, std::uint32_t more)
{
	if (words.size() / 4 < more + 1u) {
		entry.reason = CfiReason::truncated;
		return;
	}
	entry.kind = ExidxKind::opcodes;
	entry.skip = skip;
	entry.words = words.first(4 * (more + std::size_t{1}));
}

// The compact model's first word, and what follows it.
void read_compact(ExidxEntry& entry, Bytes words, std::uint32_t first)
{
	const std::uint32_t personality = first >> 24 & 0x7f, more = first >> 16 & 0xff;
	if (personality > 2)
		entry.reason = CfiReason::personality;
	else if (!personality)
		use_opcodes(entry, words, 1, 0);
	else
		use_opcodes(entry, words, 2, more);
}

void IndexReader::read_inline(ExidxEntry& entry, std::size_t number) const
{
	read_compact(entry, section_.bytes.subspan(number * entry_bytes + 4, 4), raw_[number].second);
}

void IndexReader::read_table(ExidxEntry& entry, std::uint32_t table) const
{
	const std::uint64_t into = table - tables_address_;
	if (table % 4 || table < tables_address_ || into >= tables_.size()) {
		entry.reason = CfiReason::table_place;
		return;
	}
	const Bytes words = tables_.subspan(into);
	ByteCursor cursor(words);
	const std::uint32_t first = cursor.u32();
	if (first & high_bit)
		return read_compact(entry, words, first);
	const std::uint32_t more = cursor.u32() >> 24;
	if (!cursor.ok())
		entry.reason = CfiReason::truncated;
	else
		use_opcodes(entry, words.subspan(4), 1, more);
}

} // namespace

Result<std::vector<ExidxEntry>> read_exidx(const ElfFile& file)
{
	const ElfFile::Found section = exidx_section(file);
	if (!section)
		return section.error();
	if (!*section)
		return std::vector<ExidxEntry>{};
	IndexReader reader(file, **section);
	if (Status status = reader.read_words(); !status)
		return status.error();
	return reader.entries();
}

// Within a word, the most significant byte comes first.
std::vector<std::uint8_t> opcodes_of(const ExidxEntry& entry)
{
	std::vector<std::uint8_t> opcodes;
	opcodes.reserve(entry.words.size());
	for (std::size_t i = entry.skip; i < entry.words.size(); i++)
		opcodes.push_back(entry.words[i ^ 3]);
	return opcodes;
}

} // namespace uwind
