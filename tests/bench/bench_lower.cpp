// SPDX-License-Identifier: GPL-2.0
// What a table takes to make, and libdw to read the same CFI: one reader in a process of its own, so that its peak of
// memory is its own. Times are of the processor. Files without CFI, and those that a reader refuses, are counted.
//
// Usage: bench_lower READER TIMES <FILES     each file so often
//        READER: all      .eh_frame and what code says, as tables are made of files
//                cfi      .eh_frame alone
//                rows     libdw's dwarf_cfi_addrframe(), asked for CFA, return address and frame pointer of each row
//                entries  libdw's dwarf_next_cfi(), which executes nothing
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

#include "base/handle.h"
#include "bench/lower/libdw.h"
#include "bench/report.h"
#include "tables/cfi/eh_frame.h"
#include "tables/file_rows.h"
#include "tables/module_view.h"

using namespace bench;

namespace {

struct Total {
	Samples times; // of all files, each time
	std::uint64_t files = 0, refused = 0, rows = 0, bytes = 0;
};

template <typename Rows>
void count(Total& total, const uwind::Result<Rows>& rows, const uwind::TableRows* table)
{
	total.files += bool(rows);
	total.refused += !rows;
	if (!table)
		return;
	total.rows += table->rows.size();
	total.bytes += uwind::module_bytes(*table);
}

void lower_all(int fd, bool first, Total& total)
{
	const auto file = uwind::ElfFile::open(fd);
	const auto rows = file ? uwind::rows_of_file(*file) : file.error();
	if (first)
		count(total, rows, rows ? &*rows : nullptr);
}

void lower_cfi(int fd, bool first, Total& total)
{
	const auto file = uwind::ElfFile::open(fd);
	auto rows = file ? uwind::lower_eh_frame(*file) : file.error();
	if (rows && !rows->section)
		rows = uwind::Error{ENODATA, "no .eh_frame"};
	if (first)
		count(total, rows, rows ? &rows->accepted : nullptr);
}

// What libdw has read.
void read_by(std::optional<std::uint64_t> (*read)(int), int fd, bool first, Total& total)
{
	const auto found = read(fd);
	if (!first)
		return;
	total.files += found.has_value();
	total.refused += !found;
	total.rows += found.value_or(0);
}

using Reader = void (*)(int fd, bool first, Total& total);

Reader reader_of(const std::string& name)
{
	if (name == "all")
		return lower_all;
	if (name == "cfi")
		return lower_cfi;
	if (name == "rows")
		return [](int fd, bool first, Total& total) { read_by(libdw_rows, fd, first, total); };
	if (name == "entries")
		return [](int fd, bool first, Total& total) { read_by(libdw_entries, fd, first, total); };
	return nullptr;
}

// Kilobytes.
std::uint64_t peak_of_memory()
{
	std::uint64_t peak = 0;
	if (FILE* const status = std::fopen("/proc/self/status", "r")) {
		char line[256];
		while (std::fgets(line, sizeof(line), status))
			if (std::sscanf(line, "VmHWM: %lu", &peak) == 1)
				break;
		std::fclose(status);
	}
	return peak;
}

void read_file(Reader reader, const std::string& path, Total& total)
{
	for (std::size_t i = 0; i < total.times.size(); i++) {
		const uwind::UniqueFd fd(open(path.c_str(), O_RDONLY));
		if (!fd)
			return;
		total.times[i] += cpu_nanoseconds_of([&] { reader(fd.get(), i == 0, total); });
	}
}

} // namespace

int main(int argc, char** argv)
{
	const Reader reader = argc == 3 ? reader_of(argv[1]) : nullptr;
	const int times = argc == 3 ? std::atoi(argv[2]) : 0;
	if (!reader || times < 1 || times > 1000) {
		std::cerr << "usage: bench_lower all|cfi|rows|entries TIMES <FILES\n";
		return 64;
	}
	const std::uint64_t before = peak_of_memory();
	Total total;
	total.times.resize(static_cast<std::size_t>(times));
	for (std::string path; std::getline(std::cin, path);)
		read_file(reader, path, total);
	std::printf("{\"files\": %lu, \"refused\": %lu, \"rows\": %lu, \"bytes\": %lu, \"before_kb\": %lu, "
		    "\"peak_kb\": %lu, "
		    "\"samples\": [",
		    total.files, total.refused, total.rows, total.bytes, before, peak_of_memory());
	for (std::size_t i = 0; i < total.times.size(); i++)
		std::printf("%s%.0f", i ? ", " : "", total.times[i]);
	std::printf("]}\n");
	return 0;
}
