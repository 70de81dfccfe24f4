// SPDX-License-Identifier: GPL-2.0
// Tables of Go's functions, written byte by byte for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "unit/tables/image.h"

namespace go_image {

using image::ByteVector;
using image::operator+;
using image::put;

// Go 1.2, 1.16, 1.18 and 1.20.
enum class Layout : std::uint32_t { go2 = 0xfffffffb, go16 = 0xfffffffa, go18 = 0xfffffff0, go20 = 0xfffffff1 };

struct Function {
	std::uint64_t start;
	std::string name;
	std::vector<std::pair<std::int32_t, std::uint32_t>> depths; // depth, and for how many bytes
	std::uint8_t flags = 0;
};

struct Table {
	Layout layout = Layout::go20;
	unsigned word = 8;
	std::uint64_t text = 0; // 0: not said
	std::uint64_t base = 0; // what short entries are counted from
	std::uint64_t end = 0;  // of the last function
	std::vector<Function> functions = {};

	ByteVector bytes() const;

private:
	bool is_short() const { return layout == Layout::go18 || layout == Layout::go20; }
	ByteVector record(const Function& function, std::uint64_t name, std::uint64_t depths) const;
};

inline ByteVector depths_of(const Function& function)
{
	ByteVector bytes;
	std::int32_t before = -1;
	for (const auto& [depth, length] : function.depths) {
		const std::int32_t change = depth - before;
		const auto zigzag = static_cast<std::uint32_t>(change < 0 ? ~(change * 2) : change * 2);
		bytes = bytes + image::uleb(zigzag) + image::uleb(length);
		before = depth;
	}
	bytes.push_back(0);
	return bytes;
}

inline ByteVector Table::record(const Function& function, std::uint64_t name, std::uint64_t depths) const
{
	ByteVector bytes;
	put(bytes, is_short() ? function.start - base : function.start, is_short() ? 4 : word);
	put(bytes, name, 4);
	put(bytes, 0, 8);
	put(bytes, depths, 4);
	put(bytes, 0, layout == Layout::go2 ? 12 : 16);
	if (layout == Layout::go20)
		put(bytes, 1, 4); // line
	put(bytes, 0, 1);
	put(bytes, function.flags, 1);
	put(bytes, 0, 2);
	return bytes;
}

// Header, names, depths, functions, records.
inline ByteVector Table::bytes() const
{
	const bool old = layout == Layout::go2;
	const unsigned words = old ? 1 : is_short() ? 8 : 7;
	const std::uint64_t names = 8 + words * word;
	ByteVector name_bytes(1), depth_bytes(1), entries, records;
	std::vector<std::uint64_t> name_at, depth_at;
	for (const Function& function : functions) {
		name_at.push_back(name_bytes.size());
		for (const char letter : function.name)
			name_bytes.push_back(static_cast<std::uint8_t>(letter));
		name_bytes.push_back(0);
		depth_at.push_back(depth_bytes.size());
		depth_bytes = depth_bytes + depths_of(function);
	}
	const unsigned entry = is_short() ? 4 : word;
	const std::uint64_t entry_bytes = (2 * functions.size() + 1) * entry;
	// The oldest layout has its functions first, and counts all from the table's start.
	const std::uint64_t first = old ? names : names + name_bytes.size() + depth_bytes.size();
	const std::uint64_t old_names = first + entry_bytes, old_depths = old_names + name_bytes.size();
	std::uint64_t at = old ? old_depths + depth_bytes.size() : entry_bytes;
	for (std::size_t i = 0; i < functions.size(); i++) {
		const ByteVector one =
			record(functions[i], name_at[i] + (old ? old_names : 0), depth_at[i] + (old ? old_depths : 0));
		put(entries, is_short() ? functions[i].start - base : functions[i].start, entry);
		put(entries, at, entry);
		at += one.size();
		records = records + one;
	}
	put(entries, is_short() ? end - base : end, entry);
	ByteVector bytes;
	put(bytes, static_cast<std::uint32_t>(layout), 4);
	put(bytes, 0x010000 | (word << 24), 4);
	put(bytes, functions.size(), word);
	if (old)
		return bytes + entries + name_bytes + depth_bytes + records;
	put(bytes, 0, word); // files
	if (is_short())
		put(bytes, text, word);
	put(bytes, names, word);
	put(bytes, 0, word);
	put(bytes, 0, word);
	put(bytes, names + name_bytes.size(), word);
	put(bytes, first, word);
	return bytes + name_bytes + depth_bytes + entries + records;
}

} // namespace go_image
