// SPDX-License-Identifier: GPL-2.0
// From the bytes of a UWIND_A_RECORDS attribute to records.
#pragma once

#include <cstdint>
#include <span>

#include "model/records.h"

namespace uwind {

// Appends to batch.records and its counters. A record that contradicts itself is
// counted and left out; one whose length is impossible also ends the reading.
void decode_records(std::span<const std::uint8_t> bytes, RecordBatch& batch);

} // namespace uwind
