// SPDX-License-Identifier: GPL-2.0
// Other unwinders, on the same stack, in the same process.
#pragma once

#include <elfutils/libdwfl.h>

#include <memory>

#include "base/handle.h"
#include "bench/walk/stack.h"

namespace bench {

// libunwind, a frame at a time.
class CursorWalk {
public:
	explicit CursorWalk(const Stack& stack) : context_(stack.context) {}
	void run();
	Addresses seen();
	// libunwind keeps what it has found out about code; a profiler often meets code for the first time.
	static void forget();

private:
	unw_context_t* context_;
};

// Those that walk from where they are called: libunwind's unw_backtrace(), which keeps whole frames, and glibc's
// backtrace(), which is libgcc's.
class CalledWalk {
public:
	using Function = int (*)(void**, int);
	CalledWalk(const Stack& stack, Function function) : function_(function), addresses_(stack.pcs.size() + 16) {}
	void run() { nr_ = function_(addresses_.data(), static_cast<int>(addresses_.size())); }
	Addresses seen();
	// libunwind has a function of that name, too.
	static Function backtrace_of_glibc();

private:
	Function function_;
	std::vector<void*> addresses_;
	int nr_ = 0;
};

// libdw's frames of a thread, with this program's own memory.
class LibdwWalk {
public:
	explicit LibdwWalk(const Stack& stack);
	void run();
	const Addresses& seen() const { return seen_; }

private:
	const uw_regs regs_;
	Addresses seen_;
	std::unique_ptr<Dwfl, uwind::FreeWith<&dwfl_end>> dwfl_;
};

} // namespace bench
