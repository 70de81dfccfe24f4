// SPDX-License-Identifier: GPL-2.0
// Encoded pointers: the encoding byte has the format in its low half, the base in its high half.
#include "elf/encoded_pointer.h"

namespace uwind {
namespace {

enum : std::uint8_t {
	format_mask = 0x0f,
	base_mask = 0x70,
	indirect = 0x80,
};

enum : std::uint8_t {
	format_word = 0x00,
	format_uleb = 0x01,
	format_u16 = 0x02,
	format_u32 = 0x03,
	format_u64 = 0x04,
	format_signed_word = 0x08,
	format_sleb = 0x09,
	format_s16 = 0x0a,
	format_s32 = 0x0b,
	format_s64 = 0x0c,
};

enum : std::uint8_t {
	base_none = 0x00,
	base_pc = 0x10,
	base_text = 0x20,
	base_data = 0x30,
};

bool format_known(std::uint8_t encoding)
{
	const std::uint8_t format = encoding & format_mask;
	return format <= format_u64 || (format >= format_signed_word && format <= format_s64);
}

} // namespace

bool pointer_supported(std::uint8_t encoding, const PointerBases& bases)
{
	if (encoding & indirect || !format_known(encoding))
		return false;
	switch (encoding & base_mask) {
	case base_none:
	case base_pc:
		return true;
	case base_text:
		return bases.text.has_value();
	case base_data:
		return bases.data.has_value();
	default:
		return false;
	}
}

std::uint64_t read_pointer(ByteCursor& cursor, std::uint8_t encoding, const PointerBases& bases)
{
	const std::uint64_t here = bases.section + cursor.position();
	const std::uint64_t value = read_pointer_value(cursor, encoding, bases.word);
	const std::uint64_t mask = bases.word == 4 ? 0xffffffff : ~std::uint64_t{0};
	switch (encoding & base_mask) {
	case base_pc:
		return (here + value) & mask;
	case base_text:
		return (*bases.text + value) & mask;
	case base_data:
		return (*bases.data + value) & mask;
	default:
		return value & mask;
	}
}

std::uint64_t read_pointer_value(ByteCursor& cursor, std::uint8_t encoding, unsigned word)
{
	switch (encoding & format_mask) {
	case format_word:
	case format_signed_word:
		return word == 4 ? cursor.u32() : cursor.u64();
	case format_u64:
	case format_s64:
		return cursor.u64();
	case format_uleb:
		return cursor.uleb();
	case format_sleb:
		return static_cast<std::uint64_t>(cursor.sleb());
	case format_u16:
		return cursor.u16();
	case format_s16:
		return static_cast<std::uint64_t>(static_cast<std::int16_t>(cursor.u16()));
	case format_u32:
		return cursor.u32();
	case format_s32:
		return static_cast<std::uint64_t>(static_cast<std::int32_t>(cursor.u32()));
	default:
		cursor.fail();
		return 0;
	}
}

} // namespace uwind
