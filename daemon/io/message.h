// SPDX-License-Identifier: GPL-2.0
// From one datagram of generic netlink to a batch of records.
#pragma once

#include <cstdint>
#include <span>

#include "model/records.h"

namespace uwind {

// A datagram has one message, aligned to 4 bytes. A message of another family or
// command gives an empty batch. One that is truncated or contradicts itself gives a
// batch with "malformed" set.
RecordBatch decode_message(std::span<std::uint8_t> datagram, int family);

RecordBatch malformed_message();

} // namespace uwind
