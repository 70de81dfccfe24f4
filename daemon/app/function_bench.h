// SPDX-License-Identifier: GPL-2.0
// What tracing a function of the kernel costs, by uwind and by the kernel's own function tracer.
#pragma once

#include <functional>

#include "model/function_cost.h"
#include "port/function_tracers.h"
#include "port/kernel.h"

namespace uwind {

struct FunctionBench {
	Kernel& kernel;
	FunctionTracers& tracers;
	EventSpec call;                // of the system call that is made
	std::string traced, different; // patterns of that function, and of one that is never called
	std::int32_t self = 0;         // this process
	std::uint64_t calls = 0;       // of each measurement
	std::function<bool()> stops;   // whether to end
};

// Each tracer in each situation. EINTR: it was to end.
Result<FunctionCosts> measure_function_costs(const FunctionBench& bench);

} // namespace uwind
