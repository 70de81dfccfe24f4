// SPDX-License-Identifier: GPL-2.0
// Where modules of the kernel have their text, as /sys/module and /proc/kallsyms show it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "port/text_changes.h"

namespace uwind {

// Where sections of a module begin.
using ModuleSections = std::map<std::string, std::uint64_t>;

// As /sys/module/NAME/sections says. Empty: no such module, or it has none yet, or this user may not see them.
ModuleSections sections_of_module(const std::string& name);
// A module's text, without what its init needed. symbols: the addresses of its symbols of code; those of its init stay
// when that is gone. Length 0: not known.
TextRange text_in_sections(const ModuleSections& sections, const std::vector<std::uint64_t>& symbols);
// The section and what follows it: no section has a size, so the next one ends it, or, after the last one, a page.
// Length 0: there is no such section.
TextRange section_of_module(const ModuleSections& sections, const std::string& name);
// Of a module that is loaded. Length 0: not known.
TextRange text_of_module(const std::string& name);

} // namespace uwind
