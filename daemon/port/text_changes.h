// SPDX-License-Identifier: GPL-2.0
// How the kernel's text changes. Times are CLOCK_MONOTONIC, in ns.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace uwind {

// Bytes of memory that changed. They changed after from_ns, and not after until_ns: both are the same moment where the
// kernel has said it exactly. A CPU may have executed the old ones for a little longer.
struct TextChange {
	std::uint64_t from_ns = 0;               // the old bytes were there
	std::uint64_t until_ns = 0;              // the new bytes were there
	std::uint64_t address = 0;               // 0: not known, as of memory that the kernel has not named yet
	std::uint64_t physical = 0;              // physical address; 0: not known
	std::vector<std::uint8_t> before, after; // of one length; but 0 bytes before: not known
	std::uint32_t pid = 0, tid = 0, cpu = 0; // who changed them
	std::string comm;
	std::vector<std::uint64_t> callers; // who asked for it, innermost first; none: not known
};

// Instructions of this range were made visible to the CPUs: what no TextChange has said may have changed there.
struct TextFlush {
	std::uint64_t time_ns = 0;
	std::uint64_t address = 0;
	std::uint64_t bytes = 0;
	std::uint32_t pid = 0, tid = 0, cpu = 0;
	std::string comm;
	std::vector<std::uint64_t> callers;
};

struct TextRange {
	std::uint64_t address = 0;
	std::uint64_t bytes = 0;
};

enum class TextOwner {
	MODULE,      // of which the text only, without what its init needed
	BPF,         // a program or a trampoline
	OUT_OF_LINE, // trampolines of ftrace, pages of kprobes
};

// Text comes or goes. Text that was there before start() is not reported. A module goes that has never come: its init
// failed.
struct TextRegion {
	bool comes = false; // the bytes are all there; else: they are going to be freed
	TextOwner owner = TextOwner::MODULE;
	std::uint64_t time_ns = 0;
	std::string name;
	std::vector<TextRange> ranges;
	std::vector<std::uint8_t> content; // of the first range, at that time; none: not known
	std::uint32_t pid = 0, tid = 0, cpu = 0;
	std::string comm;
};

// What had no room: nothing else is known of it.
struct TextLost {
	std::uint64_t count = 0;
	std::uint64_t from_ns = 0; // it happened not before this
	std::uint64_t until_ns = 0;
};

using TextEvent = std::variant<TextChange, TextFlush, TextRegion, TextLost>;

// When it had happened.
inline std::uint64_t time_of(const TextEvent& event)
{
	return std::visit(
		[](const auto& one) {
			if constexpr (requires { one.until_ns; })
				return one.until_ns;
			else
				return one.time_ns;
		},
		event);
}

// One thread starts, reads and stops.
class TextChanges {
public:
	virtual ~TextChanges() = default;

	// From now on nothing is missed. EOPNOTSUPP: this kernel has no such source. EPERM, EBUSY.
	virtual Status start() = 0;
	// In the order of time. None: nothing happened in time, or interrupt() was called.
	virtual Result<std::vector<TextEvent>> read(std::chrono::milliseconds timeout) = 0;
	// Any thread, and a signal's handler: read() waits no more, or the next time it would wait.
	virtual void interrupt() = 0;
	// Ends it. What read() has not returned is gone. Again, or not started: nothing happens.
	virtual void stop() = 0;
};

} // namespace uwind
