// SPDX-License-Identifier: GPL-2.0
// Any bytes as an ELF file: a table that the module takes, or an error.
#include <cstdlib>

#include "tables/module_view.h"
#include "tables/table_builder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes)
{
	const auto file = uwind::ElfFile::from_bytes({data, bytes});
	if (!file)
		return 0;
	const auto table = uwind::build_table(*file);
	if (!table)
		return 0;
	const auto rows = uwind::rows_of_table(*table);
	if (!rows || !uwind::check_rows(*rows, table->arch))
		std::abort();
	return 0;
}
