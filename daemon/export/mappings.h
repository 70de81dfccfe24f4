// SPDX-License-Identifier: GPL-2.0
// Where files are mapped that frames lie in. A report does not list it: it follows from frames, each of which has its
// address in memory and in its file.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "model/report.h"

namespace uwind {

// Bytes in memory, and where they begin in the file.
struct Mapped {
	std::uint64_t address = 0, bytes = 0, file_offset = 0;
	Index module = 0;

	auto operator<=>(const Mapped&) const = default;
};

class Mappings {
public:
	explicit Mappings(const Report& report);

	// Around a frame's address, or the one in its call. The frame has a module.
	Mapped of(const ReportFrame& frame, std::uint64_t address) const;
	// The kernel and its modules, by module: the pages of the functions that frames lie in. Where such a file has
	// them is not known.
	const std::map<Index, Mapped>& kernel() const { return kernel_; }

private:
	struct Range { // of addresses in a file
		std::uint64_t start = ~std::uint64_t{0}, end = 0;
	};

	void add_kernel(const ReportFrame& frame);

	const Report& report_;
	std::vector<Range> seen_; // by module: in which its frames lie
	std::map<Index, Mapped> kernel_;
};

} // namespace uwind
