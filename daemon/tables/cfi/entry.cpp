// SPDX-License-Identifier: GPL-2.0
// Reads the chain of records once; instructions are left for later.
#include "tables/cfi/entry.h"

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <unordered_map>

namespace uwind {
namespace {

const char* name_of(const CfiSection& section)
{
	return section.debug ? ".debug_frame" : ".eh_frame";
}

// A record's extent: its body begins with the CIE id or pointer.
struct Record {
	std::uint64_t start = 0;
	std::uint64_t body = 0;
	std::uint64_t bytes = 0; // of the body
	bool wide = false;       // 64-bit DWARF
};

// Where an FDE's CIE is; in .eh_frame, how far before the id. DWARF 5, 7.2.4; LSB 5, 10.6.1.
struct RecordId {
	std::uint64_t value;
	bool is_cie;
};

void skip_personality(ByteCursor& cursor, Cie& cie, unsigned word)
{
	constexpr std::uint8_t aligned = 0x50; // padded; nothing uses it
	const std::uint8_t encoding = cursor.u8();
	if (encoding == pointer_omitted)
		return;
	if (encoding == aligned)
		cie.unusable = CfiReason::encoding;
	else
		read_pointer_value(cursor, encoding, word);
}

class RecordReader {
public:
	explicit RecordReader(CfiSection& section) : section_(section) {}
	Status run();

private:
	enum class Step { record, empty, end, broken };
	Step next(ByteCursor& cursor, Record& record);
	Status read(const Record& record);
	Status add_fde(const Record& record, std::uint64_t cie_offset);
	Result<std::uint32_t> cie_at(std::uint64_t offset);
	RecordId read_id(ByteCursor& cursor, const Record& record) const;
	std::string_view augmentation(ByteCursor& cursor);
	void parse_cie(const Record& record, Cie& cie);
	void parse_letter(ByteCursor& cursor, char letter, Cie& cie);
	void parse_augmentation(ByteCursor& cursor, std::string_view letters, Cie& cie);
	Error broken(std::uint64_t offset, const char* why) const;
	void skip(CfiReason reason) { section_.skipped[static_cast<std::size_t>(reason)]++; }
	ByteCursor body(const Record& record) const
	{
		return ByteCursor(section_.bytes.first(record.body + record.bytes), record.body);
	}

	CfiSection& section_;
	std::unordered_map<std::uint64_t, std::uint32_t> cies_; // by section offset
	std::uint64_t last_offset_ = ~std::uint64_t{0};
	std::uint32_t last_cie_ = 0;
};

Error RecordReader::broken(std::uint64_t offset, const char* why) const
{
	char text[160];
	std::snprintf(text, sizeof(text), "%s+0x%llx: %s", name_of(section_), static_cast<unsigned long long>(offset),
		      why);
	return Error{EBADMSG, text};
}

RecordReader::Step RecordReader::next(ByteCursor& cursor, Record& record)
{
	// What is left may be the padding after the last record.
	if (cursor.left() < 4)
		return Step::end;
	record.start = cursor.position();
	record.bytes = cursor.u32();
	record.wide = record.bytes == 0xffffffff;
	if (record.wide)
		record.bytes = cursor.u64();
	record.body = cursor.position();
	if (!cursor.ok() || record.bytes > cursor.left())
		return Step::broken;
	if (!record.bytes)
		return Step::empty;
	cursor.skip(record.bytes);
	return record.bytes < 4 ? Step::broken : Step::record;
}

Status RecordReader::run()
{
	ByteCursor cursor(section_.bytes);
	section_.fdes.reserve(section_.bytes.size() / 48);
	for (;;) {
		Record record;
		switch (next(cursor, record)) {
		case Step::end:
			return Nothing{};
		case Step::empty:
			if (!section_.end_known)
				return Nothing{};
			continue;
		case Step::broken:
			if (!section_.end_known)
				return Nothing{};
			return broken(record.start, "the record's length is wrong");
		case Step::record:
			break;
		}
		if (Status status = read(record); !status)
			return status;
	}
}

RecordId RecordReader::read_id(ByteCursor& cursor, const Record& record) const
{
	if (!section_.debug) {
		const std::uint32_t id = cursor.u32();
		return {id, id == 0};
	}
	const std::uint64_t id = record.wide ? cursor.u64() : cursor.u32();
	return {id, id == (record.wide ? ~std::uint64_t{0} : 0xffffffff)};
}

Status RecordReader::read(const Record& record)
{
	ByteCursor cursor = body(record);
	const RecordId id = read_id(cursor, record);
	if (section_.cies.size() > section_.max_cies || section_.fdes.size() > section_.max_fdes)
		return Error{E2BIG, std::string(name_of(section_)) + " has more records than a program can need"};
	if (id.is_cie) {
		cies_.emplace(record.start, static_cast<std::uint32_t>(section_.cies.size()));
		section_.cies.emplace_back();
		parse_cie(record, section_.cies.back());
		return Nothing{};
	}
	if (section_.debug)
		return add_fde(record, id.value);
	if (id.value > record.body)
		return broken(record.start, "the FDE's CIE lies before the section");
	return add_fde(record, record.body - id.value);
}

Result<std::uint32_t> RecordReader::cie_at(std::uint64_t offset)
{
	if (offset == last_offset_)
		return last_cie_;
	const auto found = cies_.find(offset);
	if (found == cies_.end())
		return broken(offset, "an FDE names this record as its CIE, but it is none");
	last_offset_ = offset;
	last_cie_ = found->second;
	return last_cie_;
}

// The letters, without the NUL after them.
std::string_view RecordReader::augmentation(ByteCursor& cursor)
{
	const std::uint64_t start = cursor.position();
	while (cursor.ok() && cursor.u8())
		;
	if (!cursor.ok())
		return {};
	return {reinterpret_cast<const char*>(section_.bytes.data()) + start, cursor.position() - start - 1};
}

void RecordReader::parse_cie(const Record& record, Cie& cie)
{
	ByteCursor cursor = body(record);
	read_id(cursor, record);
	const std::uint8_t version = cursor.u8();
	if (version != 1 && version != 3 && version != 4) {
		cie.unusable = CfiReason::version;
		cie.located = false;
		return;
	}
	const std::string_view letters = augmentation(cursor);
	if (version == 4 && cursor.u16() != section_.bases.word) { // address size, segment selector size
		cie.unusable = CfiReason::address_size;
		cie.located = false;
	}
	if (letters.starts_with("eh"))
		cursor.skip(section_.bases.word);
	cie.code_factor = cursor.uleb();
	cie.data_factor = cursor.sleb();
	cie.ra_column = version == 1 ? cursor.u8() : cursor.uleb();
	parse_augmentation(cursor, letters, cie);
	cie.instructions_address = section_.bases.section + cursor.position();
	cie.instructions = cursor.take(cursor.left());
	if (!cursor.ok()) {
		cie.unusable = CfiReason::truncated;
		cie.located = false;
	}
}

void RecordReader::parse_letter(ByteCursor& cursor, char letter, Cie& cie)
{
	switch (letter) {
	case 'R':
		cie.encoding = cursor.u8();
		cie.located = cie.unusable == CfiReason::none; // after an unknown letter it may be any byte
		break;
	case 'L':
		cursor.skip(1);
		break;
	case 'P':
		skip_personality(cursor, cie, section_.bases.word);
		break;
	case 'S':
		cie.signal_frame = true;
		break;
	case 'B': // arm64: return addresses are signed with key B
	case 'G': // arm64: tagged stack
		break;
	default:
		cie.unusable = CfiReason::augmentation;
	}
}

void RecordReader::parse_augmentation(ByteCursor& cursor, std::string_view letters, Cie& cie)
{
	if (letters.empty() || letters == "eh")
		return;
	cie.located = false;
	if (letters[0] != 'z') {
		cie.unusable = CfiReason::augmentation;
		return;
	}
	cie.sized_augmentation = true;
	const std::uint64_t bytes = cursor.uleb();
	const std::uint64_t end = cursor.position() + bytes;
	for (const char letter : letters.substr(1))
		parse_letter(cursor, letter, cie);
	if (cursor.ok() && end >= cursor.position())
		cursor.skip(end - cursor.position());
	else
		cursor.fail();
	if (!pointer_supported(cie.encoding, section_.bases)) {
		cie.unusable = CfiReason::encoding;
		cie.located = false;
	}
}

Status RecordReader::add_fde(const Record& record, std::uint64_t cie_offset)
{
	Result<std::uint32_t> number = cie_at(cie_offset);
	if (!number)
		return number.error();
	const Cie& cie = section_.cies[*number];
	const bool usable = cie.unusable == CfiReason::none;
	if (!usable && !cie.located) {
		skip(cie.unusable);
		return Nothing{};
	}
	ByteCursor cursor = body(record);
	read_id(cursor, record);
	Fde fde;
	fde.cie = *number;
	fde.start = read_pointer(cursor, cie.encoding, section_.bases);
	fde.bytes = read_pointer_value(cursor, cie.encoding, section_.bases.word);
	if (cie.sized_augmentation)
		cursor.skip(cursor.uleb());
	if (!cursor.ok() && !usable) {
		skip(cie.unusable);
		return Nothing{};
	}
	if (!cursor.ok())
		return broken(record.start, "the FDE is shorter than its header");
	fde.instructions_offset = cursor.position();
	if (cursor.left() > 0xffffffff)
		return broken(record.start, "the FDE is larger than 4 GiB");
	fde.instructions_bytes = static_cast<std::uint32_t>(cursor.left());
	// Linkers leave records of functions that they left out, at address 0.
	if (fde.bytes && (fde.start || !section_.debug))
		section_.fdes.push_back(fde);
	return Nothing{};
}

} // namespace

Status read_cfi_section(CfiSection& section)
{
	return RecordReader(section).run();
}

} // namespace uwind
