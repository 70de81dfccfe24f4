// SPDX-License-Identifier: GPL-2.0
// Any bytes as .eh_frame: rows that the module takes, or an error. The first byte
// chooses machine and whether the section's end is known.
#include <cstdlib>

#include "tables/file_rows.h"
#include "tables/module_view.h"
#include "unit/tables/image.h"

namespace {

using image::operator+;

image::ByteVector file_around(std::uint8_t choice, const image::ByteVector& contents)
{
	image::Image file(choice & 1 ? uwind::Arch::arm64 : uwind::Arch::x86_64);
	const std::uint64_t address = file.next_address();
	file.section(".eh_frame", contents);
	if (choice & 2) {
		const std::uint64_t header = file.next_address();
		file.section(".eh_frame_hdr",
			     image::ByteVector{1, 0x1b, 0xff, 0xff} + image::fixed(address - (header + 4), 4));
		file.program_of_last(PT_GNU_EH_FRAME).without_sections();
	}
	if (choice & 4)
		file.entry(image::text_address);
	return file.build();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes)
{
	if (!bytes)
		return 0;
	const auto file = uwind::ElfFile::from_bytes(file_around(data[0], {data + 1, data + bytes}));
	if (!file)
		std::abort();
	const auto table = uwind::rows_of_file(*file);
	if (table && !uwind::check_rows(*table, file->arch()))
		std::abort();
	return 0;
}
