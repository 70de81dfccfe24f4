// SPDX-License-Identifier: GPL-2.0
// A stack of this program, and its frames as libunwind sees them.
#pragma once

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include <cstdint>
#include <vector>

#include "bench/walk/calls.h"

extern "C" {
#include "types.h"
}

namespace bench {

constexpr uw_arch native =
#ifdef __aarch64__
	UW_ARCH_ARM64;
#else
	UW_ARCH_X86_64;
#endif

using Addresses = std::vector<std::uint64_t>;

// Valid while the function that has made the context has not returned.
struct Stack {
	explicit Stack(unw_context_t* context);

	unw_context_t* context;
	uw_regs regs{};    // where the context was made
	Addresses pcs;     // of its frames, as unw_step() finds them
	std::uint64_t end; // of the thread's stack
};

// Prints what differs and exits if those are not the stack's frames. from_here: a walk began in a function that the
// stack's innermost one has called, so that there may be more frames within, and that one's pc is another.
void must_agree(const char* who, const Addresses& seen, const Stack& stack, bool from_here);

// Functions of the libraries that are compiled that way.
enum class Calls { framed, plain };

// Calls use at the end of a stack of exactly so many frames, which the stack says. Exits if that cannot be.
void at_depth(Calls calls, std::size_t frames, void (*use)(Stack&));

} // namespace bench
