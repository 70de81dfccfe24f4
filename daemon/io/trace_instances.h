// SPDX-License-Identifier: GPL-2.0
// The kernel's function tracer, in instances of tracefs: each has its functions and its buffer.
#pragma once

#include "port/function_tracers.h"

namespace uwind {

class TraceInstances : public FunctionTracers {
public:
	// folder: where tracefs is mounted.
	explicit TraceInstances(std::string folder) : folder_(std::move(folder)) {}

	Result<std::unique_ptr<Tracing>> trace(const std::string& name, const std::string& pattern) override;
	double call_ns(std::uint64_t calls) override;

private:
	const std::string folder_;
};

} // namespace uwind
