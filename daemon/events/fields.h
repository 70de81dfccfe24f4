// SPDX-License-Identifier: GPL-2.0
// The fields of a tracepoint: what its file `format` in tracefs says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/event.h"

namespace uwind {

struct FilterField {
	std::string name;
	FilterKind kind = FilterKind::number;
	bool is_signed = false;
	std::uint32_t bytes = 0;  // of the number, or of the array
	std::uint32_t offset = 0; // in the entry
	std::string refused;      // why a filter cannot look at it; "": it can
};

std::vector<FilterField> parse_fields(std::string_view format);

// The event's own, then CPU, cpu, COMM and comm, then those that all events have. EINVAL: there is none, or it cannot
// be compared.
Result<FilterField> find_field(const std::vector<FilterField>& fields, std::string_view name);

inline bool is_text(FilterKind kind)
{
	return kind != FilterKind::number && kind != FilterKind::cpu;
}

} // namespace uwind
