// SPDX-License-Identifier: GPL-2.0
// From one datagram of generic netlink to a batch of records.
#pragma once

#include <cstdint>
#include <span>

#include "model/records.h"

namespace uwind {

// One message per datagram, aligned to 4 bytes. Another family's or command's
// gives an empty batch, one that is cut short or contradicts itself a batch with
// "malformed" raised.
RecordBatch decode_message(std::span<std::uint8_t> datagram, int family);

RecordBatch malformed_message();

} // namespace uwind
