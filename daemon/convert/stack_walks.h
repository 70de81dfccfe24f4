// SPDX-License-Identifier: GPL-2.0
// The user-space stacks of a recording's samples.
#pragma once

#include "convert/recorded_files.h"

namespace uwind {

struct RecordedStack {
	std::shared_ptr<const StackPart> part; // null: there is none
	std::uint8_t word_bits = 64;
};

// For one thread.
class StackWalks {
public:
	StackWalks(Unwinder& unwinder, RecordedFiles& files, Modules& modules, std::uint32_t max_frames)
	    : unwinder_(unwinder), files_(files), modules_(modules), max_frames_(max_frames)
	{
	}

	// From copied registers, over the copied piece of stack.
	RecordedStack walk(const Unfinished& from, RecordedCode& code);
	// Of addresses that somebody else has found, innermost first; at least one. arch: none if it is not known.
	RecordedStack adopt(const std::vector<std::uint64_t>& chain, Arch arch, RecordedCode& code);

private:
	using Places = std::vector<RecordedMapping*>;

	GoneOn go_on(const Unfinished& from, const std::vector<StackFrame>& before, RecordedCode& code);
	std::uint32_t number_of(RecordedMapping* mapping);
	StackFrame frame_at(std::uint64_t pc, bool is_innermost, RecordedCode& code);
	Stop end_of(const std::vector<StackFrame>& frames, Arch arch, RecordedCode& code);
	void supply(RecordedMapping& mapping, CodeMapping& to);

	Unwinder& unwinder_;
	RecordedFiles& files_;
	Modules& modules_;
	const std::uint32_t max_frames_;
};

} // namespace uwind
