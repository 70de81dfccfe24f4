// SPDX-License-Identifier: GPL-2.0
// Any bytes as an exception index of 32-bit Arm and its tables: rules that the module
// takes, in order and without overlap, or an error. The first byte says how many entries
// there are; each is an offset into the code in halfwords, and a second word.
#include <cstdlib>

#include "base/byte_cursor.h"
#include "tables/ehabi/rows.h"
#include "tables/module_view.h"
#include "unit/tables/arm_image.h"

namespace {

std::vector<std::uint8_t> file_of(uwind::ByteCursor cursor)
{
	arm_image::ArmImage image;
	for (unsigned left = cursor.u8(); left; left--) {
		const std::uint32_t into = 2u * cursor.u16(), second = cursor.u32();
		if (second == 1 || second >> 31)
			image.entry(into, second);
		else // near the tables
			image.entry_with_table_at(into, image.table_address() + (second & 0xfff));
	}
	std::vector<std::uint32_t> tables;
	while (cursor.left() >= 4)
		tables.push_back(cursor.u32());
	image.entry_with_table(0xffe, tables);
	return image.build();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes)
{
	const auto file = uwind::ElfFile::from_bytes(file_of(uwind::ByteCursor({data, bytes})));
	if (!file)
		std::abort();
	const auto rows = uwind::lower_exidx(*file);
	if (!rows)
		return 0;
	for (std::size_t i = 0; i < rows->stretches.size(); i++) {
		const uwind::Stretch& stretch = rows->stretches[i];
		if (stretch.start >= stretch.end || (i && stretch.start < rows->stretches[i - 1].end))
			std::abort();
	}
	const uwind::TableRows table = uwind::rows_of(rows->stretches);
	if (!table.rows.empty() && !uwind::check_rows(table, uwind::Arch::arm))
		std::abort();
	return 0;
}
