// SPDX-License-Identifier: GPL-2.0
// The kernel's own function tracer, and a call to trace.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace uwind {

class FunctionTracers {
public:
	// Traces until it is destroyed.
	class Tracing {
	public:
		virtual ~Tracing() = default;
	};

	virtual ~FunctionTracers() = default;

	// Traces the functions that match, or all for "". name: of the instance in tracefs; no two at once have one
	// name.
	virtual Result<std::unique_ptr<Tracing>> trace(const std::string& name, const std::string& pattern) = 0;
	// How long one system call takes, in ns, of so many.
	virtual double call_ns(std::uint64_t calls) = 0;
};

} // namespace uwind
