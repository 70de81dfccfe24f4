// SPDX-License-Identifier: GPL-2.0
// Code between rows.
#pragma once

#include "elf/file.h"
#include "elf/segments.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

// The stretches of a range of file offsets that table says nothing about, in order;
// they do not touch.
std::vector<OffsetRange> gaps_of(const TableRows& table, OffsetRange range);

// In code that is described nearly everywhere, the longest gap whose code is not
// taken for code with frame pointers: what compilers put around a program's main().
constexpr std::uint32_t max_closed_gap_bytes = 256;

// Short gaps get a rule of kind UNKNOWN: the walk is to end there, not to guess.
void close_gaps(TableRows& table, const std::vector<Segment>& segments);

} // namespace uwind
