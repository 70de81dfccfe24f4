// SPDX-License-Identifier: GPL-2.0
// How fast .eh_frame becomes rows, and how large they are: bench_lower [FILE]…
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fcntl.h>

#include "base/handle.h"
#include "tables/file_rows.h"
#include "tables/module_view.h"

namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds(Clock::duration time)
{
	return std::chrono::duration<double, std::nano>(time).count();
}

// The fastest of some runs: what the code costs, not what the machine did meanwhile.
int measure(const char* path)
{
	double best = 0;
	uwind::TableRows rows;
	for (int run = 0; run < 10; run++) {
		const uwind::UniqueFd fd(open(path, O_RDONLY));
		const auto before = Clock::now();
		const auto file = uwind::ElfFile::open(fd.get());
		auto table = file ? uwind::rows_of_file(*file) : file.error();
		const double took = nanoseconds(Clock::now() - before);
		if (!table) {
			std::fprintf(stderr, "bench_lower: %s: %s\n", path, table.error().message.c_str());
			return 1;
		}
		best = run ? std::min(best, took) : took;
		rows = std::move(*table);
	}
	const double count = static_cast<double>(rows.rows.size());
	const auto bytes = static_cast<double>(uwind::module_bytes(rows));
	std::printf("%s: %zu rows, %zu rules, %.1f ms, %.0f ns/row, %.0f bytes, %.2f bytes/row\n", path,
		    rows.rows.size(), rows.rules.size(), best / 1e6, best / count, bytes, bytes / count);
	return 0;
}

} // namespace

int main(int argc, char** argv)
{
	if (argc < 2)
		return measure("/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1");
	int failed = 0;
	for (int i = 1; i < argc; i++)
		failed |= measure(argv[i]);
	return failed;
}
