// SPDX-License-Identifier: GPL-2.0
// Follows the paths of a 32-bit Arm function from where it begins. code.cpp says where functions begin; proof.h keeps
// what the paths find out.
#pragma once

#include "tables/code/arm/blocks.h"
#include "tables/code/arm/findings.h"
#include "tables/code/arm/jump_table.h"
#include "tables/code/arm/kept_try.h"
#include "tables/code/arm/last_calls.h"
#include "tables/code/arm/proof.h"

#include <memory>
#include <optional>

namespace uwind {

class ArmPaths {
public:
	// Functions at these addresses (sorted) do not return.
	ArmPaths(const ArmText& text, ArmProof& proof, const std::vector<std::uint32_t>& no_return);

	// Frames of which one belongs to each block that only computed jumps reach.
	void set_known_jumps(std::vector<ArmFrameNumber> jumps) { known_jumps_ = std::move(jumps); }
	void add_no_return(std::size_t at) { last_calls_.add_function(at); }

	// Tries whether code makes sense that begins at a place with this frame: no path comes to what is impossible,
	// and not all of them to what is no instruction. blames: calls may be taken for calls that do not return.
	bool follow(std::size_t at, bool thumb, ArmFrameNumber frame, ArmEvidence needed, bool blames);
	// Calls in what a beginning leads to, whether or not it makes sense. The try stays in force, as the first one
	// of what is followed next, unless it is kept until then.
	std::vector<ArmCall> scout(std::size_t at, bool thumb);
	// Null: there is not so much room for its entries.
	std::unique_ptr<ArmKeptTry> keep(std::size_t room);
	// The first try of what is followed next is this one, unless something has changed that it depends on.
	void take_up(std::unique_ptr<ArmKeptTry> kept) { kept_ = std::move(kept); }
	// Of the last try.
	const ArmFindings& findings() const { return findings_; }

private:
	bool follow_once(std::size_t at, bool thumb, ArmFrameNumber frame);
	bool follow_first(std::size_t at, bool thumb, ArmFrameNumber frame);
	void step(std::size_t at);
	void step_with_effect(std::size_t at);
	bool pass_plain(std::size_t at, const ArmInstruction& instruction, ArmFrameNumber& frame, std::uint32_t& via);
	void step_block(std::size_t at);
	bool pass(const ArmStep& step, ArmFrameNumber& frame, std::uint32_t& via);
	bool pass_call(std::size_t at, const ArmInstruction& call, ArmFrameNumber frame, std::uint32_t& via);
	bool pass_leave(const ArmStep& step, ArmFrameNumber frame, std::uint32_t via);
	bool pass_computed_jump(const ArmStep& step, ArmFrameNumber frame, std::uint32_t via);
	void pass_table(const ArmJumpTable& table, ArmFrameNumber frame, std::uint32_t via);
	void note_exit(std::size_t at);
	void note_jump(ArmFrameNumber frame);
	void go_to(std::size_t from, const ArmInstruction& jump, ArmFrameNumber frame, std::uint32_t via);
	void fall_to(std::size_t at, bool thumb, ArmFrameNumber frame, std::uint32_t via);
	void arrive(std::size_t at, bool thumb, ArmFrameNumber frame, std::uint32_t via);

	const ArmText& text_;
	ArmProof& proof_;
	ArmLastCalls last_calls_;
	std::vector<ArmFrameNumber> known_jumps_;
	std::size_t steps_left_;
	std::vector<std::size_t> pending_;
	ArmBlock block_; // that is being executed
	ArmFindings findings_;
	std::optional<std::size_t> scouted_steps_; // of the try that is in force
	std::unique_ptr<ArmKeptTry> kept_;
};

} // namespace uwind
