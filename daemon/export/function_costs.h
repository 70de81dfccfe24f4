// SPDX-License-Identifier: GPL-2.0
// What tracing a function of the kernel costs, as a table or as JSON.
#pragma once

#include <iosfwd>

#include "model/function_cost.h"

namespace uwind {

void write_function_costs(const FunctionCosts& costs, std::ostream& out);
// An array with an object for each.
void write_function_costs_json(const FunctionCosts& costs, std::ostream& out);

} // namespace uwind
