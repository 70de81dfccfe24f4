// SPDX-License-Identifier: GPL-2.0
// From the bytes of a record in the BPF programs' ring buffer (bpf/life_record.h) to what it tells.
#pragma once

#include <optional>

#include "base/byte_cursor.h"
#include "model/process_life.h"

namespace uwind {

// Nothing: of an unknown kind, too short, or its lengths do not fit.
std::optional<LifeRecord> life_record_in(Bytes bytes);

} // namespace uwind
