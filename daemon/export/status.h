// SPDX-License-Identifier: GPL-2.0
// The module's numbers as text, one "name value" per line.
#pragma once

#include <iosfwd>

#include "model/session.h"

namespace uwind {

void write_status(const ModuleVersion& version, const ModuleStats& stats, std::ostream& out);
void write_tables(const std::vector<TableInfo>& tables, std::ostream& out);

} // namespace uwind
