// SPDX-License-Identifier: GPL-2.0
// A sample of perf: its parts stand in the order of the bits that ask for them.
#pragma once

#include "model/perf_records.h"
#include "perf_data/attributes.h"

namespace uwind::perf_data {

// Of a machine of that kind. Nothing: it contradicts itself.
std::optional<PerfSample> sample_in(const Attribute& attribute, Arch arch, std::uint16_t misc, Bytes body);

// The addresses of a chain.
struct Chain {
	std::vector<std::uint64_t> kernel;
	std::vector<std::uint64_t> user;
	std::optional<std::uint64_t> cookie; // of the user's part, which comes later
};

// The number of addresses and marks, and these. Before the first mark they are the user's, unless in_kernel.
Chain chain_at(ByteCursor& cursor, bool in_kernel);

} // namespace uwind::perf_data
