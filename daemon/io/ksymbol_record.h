// SPDX-License-Identifier: GPL-2.0
// Records of perf of the type KSYMBOL.
#pragma once

#include <cstdint>
#include <string>

#include "base/byte_cursor.h"

namespace uwind {

struct KsymbolRecord {
	std::uint64_t address = 0;
	std::uint32_t bytes = 0;
	std::uint16_t type = 0; // PERF_RECORD_KSYMBOL_TYPE_*
	bool unregisters = false;
	std::string name;
};

// What follows a record's own fields is at the next multiple of 8 bytes. It is not at the record's end: where several
// events are told of a change or a symbol, the kernel counts what follows for all of them in the size of the last
// record (nothing restores header.size after perf_event_header__init_id()).
void skip_to_sample_id(ByteCursor& in);

// in: a record from its first byte, after its header. Leads to what follows its own fields.
KsymbolRecord take_ksymbol(ByteCursor& in);

} // namespace uwind
