// SPDX-License-Identifier: GPL-2.0
// Records of perf other than samples.
#pragma once

#include "model/perf_records.h"
#include "perf_data/attributes.h"
#include "perf_data/sorter.h"

namespace uwind::perf_data {

enum class Kind { read, ignored, unknown };

// Whether records of that type are read, are known but say nothing that is needed, or are not known.
Kind kind_of(std::uint32_t type);

// Of a type that is read, and no sample. Nothing: it contradicts itself.
std::optional<PerfRecord> other_record_in(const Attribute& attribute, const Sorter::Record& record);

} // namespace uwind::perf_data
