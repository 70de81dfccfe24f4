// SPDX-License-Identifier: GPL-2.0
// The option --table-cache, which several verbs have.
#include "cli/table_cache_option.h"

#include <unistd.h>

#include "model/settings.h"

namespace uwind {

std::string table_cache_of(const std::string& given)
{
	if (given.empty())
		return ::geteuid() == 0 ? default_table_cache : "";
	return given == "none" ? "" : given;
}

} // namespace uwind
