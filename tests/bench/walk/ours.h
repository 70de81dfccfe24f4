// SPDX-License-Identifier: GPL-2.0
// Our walk of a stack in place.
#pragma once

#include "bench/walk/tables.h"
#include "unit/core/remembered.h"

namespace bench {

// What a walk may use of earlier ones.
enum class Known { nothing, steps, trail };

class OurWalk {
public:
	OurWalk(const LoadedCode& code, const Stack& stack, Method method, Known known);

	void run();
	Addresses seen() const;
	// Frames of which the walk says that it has found them by its method.
	std::size_t nr_by_method() const;

private:
	const uw_regs regs_;
	const Method method_;
	const Known known_;
	std::vector<uw_port_code> codes_;
	uw_port_slice slice_;
	uw_port port_{};
	uw_walk walk_{};
	std::vector<uw_frame> frames_;
	core::Memory memory_;
};

} // namespace bench
