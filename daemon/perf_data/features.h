// SPDX-License-Identifier: GPL-2.0
// What a perf.data file says of the recording beside its records.
#pragma once

#include "model/perf_records.h"
#include "perf_data/attributes.h"

namespace uwind::perf_data {

// Bytes of a section; of a text in one.
inline constexpr std::uint64_t most_feature_bytes = 64u << 20;
inline constexpr std::uint64_t most_text_bytes = 64u << 10;

// Events are named as they were recorded, if the file says how.
Result<PerfHeader> read_features(const FileBytes& file, const FileHeader& header, const Attributes& attributes);

} // namespace uwind::perf_data
