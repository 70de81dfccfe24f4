// SPDX-License-Identifier: GPL-2.0
// Rules as people read them: cfa=rsp+8 ra=[cfa-8] fp=same.
#pragma once

#include "model/table_rows.h"

#include <string>

namespace uwind {

std::string register_name(Arch arch, unsigned number);
std::string rule_text(const Rule& rule, Arch arch);

} // namespace uwind
