// SPDX-License-Identifier: GPL-2.0
// Writes SFrame sections of all versions, independently of the reader, and
// lowers them.
#pragma once

#include <optional>
#include <string>

#include "unit/core/world.h"

namespace core::sframe {

using Bytes = std::vector<u8>;

inline void put(Bytes& out, u64 value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		out.push_back(static_cast<u8>(value >> (8 * i)));
}

inline void patch(Bytes& out, std::size_t at, u64 value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		out.at(at + i) = static_cast<u8>(value >> (8 * i));
}

inline Bytes from_hex(const std::string& text)
{
	Bytes out;
	std::string digits;
	for (char c : text)
		if (c != ' ' && c != '|')
			digits += c;
	for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
		out.push_back(static_cast<u8>(std::stoul(digits.substr(i, 2), nullptr, 16)));
	return out;
}

struct Row {
	u32 start;
	bool base_is_sp;
	std::vector<s32> words; // of a flexible function: control words too
	unsigned word_size = 2; // log2 of the width
	bool mangled = false;
};

struct Function {
	u64 start;
	u32 bytes;
	std::vector<Row> rows;
	unsigned start_size = 2; // log2 of the width of row starts
	u8 block_bytes = 0;      // not 0: PCMASK
	bool signal = false;
	bool flex = false;
	Bytes raw; // if not empty: attributes (V3) and rows as they are
	u32 raw_rows = 0;
};

struct Section {
	u8 version;
	u8 flags;
	uw_arch arch;
	u64 address;
	std::vector<Function> functions;
	u8 aux_bytes = 0;
	s8 fixed_fp = 0;
	std::optional<s8> fixed_ra;

	bool pcrel() const { return flags & 4; }

	Bytes encode() const
	{
		Bytes fdes, fres;
		u32 nr_rows = 0;
		for (const Function& function : functions) {
			encode_fde(fdes, static_cast<u32>(fres.size()), function);
			encode_rows(fres, function);
			nr_rows += function.raw.empty() ? static_cast<u32>(function.rows.size()) : function.raw_rows;
		}
		Bytes out = encode_header(static_cast<u32>(fdes.size()), static_cast<u32>(fres.size()), nr_rows);
		out.insert(out.end(), fdes.begin(), fdes.end());
		out.insert(out.end(), fres.begin(), fres.end());
		return out;
	}

private:
	Bytes encode_header(u32 fde_bytes, u32 fre_bytes, u32 nr_rows) const
	{
		Bytes out;
		s8 ra = fixed_ra.value_or(arch == UW_ARCH_X86_64 ? -8 : 0);
		put(out, 0xdee2, 2);
		put(out, version, 1);
		put(out, flags, 1);
		put(out, arch == UW_ARCH_X86_64 ? 3 : 2, 1);
		put(out, static_cast<u8>(fixed_fp), 1);
		put(out, static_cast<u8>(ra), 1);
		put(out, aux_bytes, 1);
		put(out, functions.size(), 4);
		put(out, nr_rows, 4);
		put(out, fre_bytes, 4);
		put(out, 0, 4);
		put(out, fde_bytes, 4);
		out.insert(out.end(), aux_bytes, 0xaa);
		return out;
	}

	static u8 info_of(const Function& function)
	{
		return static_cast<u8>(function.start_size | (function.block_bytes ? 0x10u : 0u) |
				       (function.signal ? 0x80u : 0u));
	}

	void encode_fde(Bytes& out, u32 fre_off, const Function& function) const
	{
		u64 base = address + (pcrel() ? 28u + aux_bytes + out.size() : 0u);
		u64 rows = function.raw.empty() ? function.rows.size() : function.raw_rows;
		put(out, function.start - base, version == 3 ? 8 : 4);
		put(out, function.bytes, 4);
		put(out, fre_off, 4);
		if (version == 3)
			return;
		put(out, rows, 4);
		put(out, info_of(function), 1);
		if (version == 2) {
			put(out, function.block_bytes, 1);
			put(out, 0, 2);
		}
	}

	void encode_rows(Bytes& out, const Function& function) const
	{
		if (!function.raw.empty()) {
			out.insert(out.end(), function.raw.begin(), function.raw.end());
			return;
		}
		if (version == 3) {
			put(out, function.rows.size(), 2);
			put(out, info_of(function), 1);
			put(out, function.flex, 1);
			put(out, function.block_bytes, 1);
		}
		for (const Row& row : function.rows) {
			put(out, row.start, 1u << function.start_size);
			put(out,
			    (row.base_is_sp ? 1u : 0u) | row.words.size() << 1 | row.word_size << 5 |
				    (row.mangled ? 0x80u : 0u),
			    1);
			for (s32 word : row.words)
				put(out, static_cast<u32>(word), 1u << row.word_size);
		}
	}
};

struct Lowered {
	int err;
	std::string why;
	u64 at = 0;
	std::unique_ptr<Draft> draft;

	uw_rule find(u64 offset) const { return draft->naive_find(offset); }
};

// The section's bytes are copied into a buffer of just their size, so that a
// sanitizer sees a read past them.
inline Lowered lower(const Bytes& bytes, u64 address, uw_arch arch, std::vector<uw_segment> segments)
{
	std::unique_ptr<u8[]> exact(new u8[bytes.size()]);
	std::copy(bytes.begin(), bytes.end(), exact.get());
	uw_sframe_input in{exact.get(), bytes.size(), address, segments.data(), static_cast<u32>(segments.size()),
			   arch};
	uw_sframe sf;
	auto failed = [&](int err) {
		return Lowered{err, sf.reject.why ? sf.reject.why : "", sf.reject.offset, nullptr};
	};
	if (int err = uw_sframe_open(&sf, &in))
		return failed(err);
	auto draft = std::make_unique<Draft>(static_cast<u32>(sf.max_rows), sf.max_rules);
	std::unique_ptr<uw_draft_row[]> order(new uw_draft_row[sf.nr_fdes]);
	if (int err = uw_sframe_lower(&sf, &draft->draft, order.get()))
		return failed(err);
	return {0, "", 0, std::move(draft)};
}

// With one segment of 1 MiB at address 0x10000, whose offset is 0x1000.
constexpr u64 segment_address = 0x10000;
constexpr u64 segment_offset = 0x1000;
constexpr u64 section_address = 0x200000;

inline Lowered lower(const Bytes& bytes, uw_arch arch = UW_ARCH_X86_64)
{
	return lower(bytes, section_address, arch, {{segment_address, 0x100000, segment_offset}});
}

inline Lowered lower(const Section& section)
{
	return lower(section.encode(), section.address, section.arch, {{segment_address, 0x100000, segment_offset}});
}

} // namespace core::sframe
