// SPDX-License-Identifier: GPL-2.0
// What tracing a function of the kernel costs.
#pragma once

#include <string>
#include <vector>

namespace uwind {

// Of one system call whose function is traced, while others trace, too. Times in ns.
struct FunctionCost {
	std::string others;  // what they trace
	std::string tracer;  // "": nobody traces the function
	double call_ns = 0;  // the whole system call
	double added_ns = 0; // what the tracer adds to it
};

using FunctionCosts = std::vector<FunctionCost>;

} // namespace uwind
