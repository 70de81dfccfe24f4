// SPDX-License-Identifier: GPL-2.0
// Hardware breakpoints: mem:ADDRESS[/LENGTH][:rwx].
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/event.h"

namespace uwind {

struct Breakpoint {
	EventSpec event;
	std::string modifiers; // "": none
};

// text begins with "mem:". EINVAL: another form. Without an access, reads and writes of four bytes.
Result<Breakpoint> parse_breakpoint(std::string_view text);

} // namespace uwind
