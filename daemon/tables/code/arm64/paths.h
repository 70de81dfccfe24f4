// SPDX-License-Identifier: GPL-2.0
// Follows the paths of an arm64 function from where it begins. code.cpp says where functions begin; proof.h keeps what
// the paths find out.
#pragma once

#include "tables/code/arm64/proof.h"
#include "tables/code/dead_ends.h"
#include "tables/isa/arm64/instruction.h"

#include <vector>

namespace uwind {

class Arm64Paths {
public:
	// ends: before these places a function is known to end. no_return: functions at these addresses (sorted) do not
	// return.
	Arm64Paths(const Arm64Text& text, Arm64Proof& proof, const std::vector<std::size_t>& ends,
		   const std::vector<std::uint64_t>& no_return);

	bool begins(std::size_t at) const { return begins_[at]; }
	void set_begin(std::size_t at) { begins_[at] = true; }

	// Tries code that begins at a place with such a frame. The proof's verdict says whether it makes sense.
	void follow(std::size_t at, const Arm64Frame& frame);
	// Disputes what proves nothing.
	void dispute_dead_ends();

private:
	bool begins_frame(std::size_t at) const;
	bool is_last_call(std::size_t at, const Arm64Flow& flow) const;
	void arrive(std::int64_t at, const Arm64Frame& frame);
	void step(std::size_t at);
	void note_return(const Arm64Frame& frame);
	Successors successors(std::size_t at) const;

	const Arm64Text& text_;
	Arm64Proof& proof_;
	const std::vector<std::uint64_t>& no_return_;
	std::vector<bool> begins_; // a function does
	std::vector<bool> ends_;   // one does, before this
	std::size_t steps_left_;
	std::vector<std::size_t> pending_; // of what is being tried
};

} // namespace uwind
