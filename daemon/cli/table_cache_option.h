// SPDX-License-Identifier: GPL-2.0
// The option --table-cache, which several verbs have.
#pragma once

#include <string>

namespace uwind {

// The folder in which tables are kept; "": none. Users without privilege have none of their own. given: "": nothing.
std::string table_cache_of(const std::string& given);

} // namespace uwind
