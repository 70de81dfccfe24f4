// SPDX-License-Identifier: GPL-2.0
// Follows the paths of a 32-bit Arm function from where it begins. code.cpp says where functions begin; proof.h keeps
// what the paths find out.
#pragma once

#include "tables/code/arm/blocks.h"
#include "tables/code/arm/jump_table.h"
#include "tables/code/arm/last_calls.h"
#include "tables/code/arm/proof.h"

namespace uwind {

// A call of a function that may lie elsewhere.
struct ArmCall {
	std::uint32_t from, target; // addresses
	bool thumb;
};

// What the last try has come to. Frames are numbers in ArmProof's set, each once.
struct ArmFindings {
	std::vector<ArmCall> calls;
	std::vector<ArmFrameNumber> jumps; // at computed jumps
	// After calls, as an exception finds them, where the return address has been saved.
	std::vector<ArmFrameNumber> landings;
};

class ArmPaths {
public:
	// Functions at these addresses (sorted) do not return.
	ArmPaths(const ArmText& text, ArmProof& proof, const std::vector<std::uint32_t>& no_return);

	void set_begin(std::size_t at, bool begins) { begins_[at] = begins; }
	// Frames of which one belongs to each block that only computed jumps reach.
	void set_known_jumps(std::vector<ArmFrameNumber> jumps) { known_jumps_ = std::move(jumps); }
	void add_no_return(std::size_t at) { last_calls_.add_function(at); }

	// Tries whether code makes sense that begins at a place with this frame: no path comes to what is impossible,
	// and not all of them to what is no instruction. blames: calls may be taken for calls that do not return.
	bool follow(std::size_t at, bool thumb, ArmFrameNumber frame, ArmEvidence needed, bool blames);
	// Calls in what a beginning leads to, whether or not it makes sense. Nothing else is kept.
	std::vector<ArmCall> calls_from(std::size_t at, bool thumb);
	const ArmFindings& findings() const { return findings_; }

private:
	bool follow_once(std::size_t at, bool thumb, ArmFrameNumber frame);
	void step(std::size_t at);
	void step_block(std::size_t at);
	bool pass(const ArmStep& step, ArmFrameNumber& frame, std::uint32_t& via);
	bool pass_call(const ArmStep& step, ArmFrameNumber frame, std::uint32_t& via);
	bool pass_leave(const ArmStep& step, ArmFrameNumber frame, std::uint32_t via);
	bool pass_computed_jump(const ArmStep& step, ArmFrameNumber frame, std::uint32_t via);
	void pass_table(const ArmJumpTable& table, ArmFrameNumber frame, std::uint32_t via);
	void note_landing(const ArmInstruction& call, ArmFrameNumber frame);
	void note_jump(ArmFrameNumber frame);
	void go_to(const ArmStep& step, ArmFrameNumber frame, std::uint32_t via);
	void fall_to(std::size_t at, bool thumb, ArmFrameNumber frame, std::uint32_t via);
	void arrive(std::size_t at, bool thumb, ArmFrameNumber frame, std::uint32_t via);

	const ArmText& text_;
	ArmProof& proof_;
	ArmLastCalls last_calls_;
	std::vector<bool> begins_; // a function does
	std::vector<ArmFrameNumber> known_jumps_;
	std::size_t steps_left_;
	std::vector<std::size_t> pending_;
	ArmBlock block_; // that is being executed
	ArmFindings findings_;
};

} // namespace uwind
