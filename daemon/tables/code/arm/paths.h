// SPDX-License-Identifier: GPL-2.0
// Follows the paths of 32-bit Arm functions through a stretch of code, and keeps what
// made sense. For code_arm.cpp, which says where functions begin.
#pragma once

#include "base/byte_cursor.h"
#include "tables/code/arm/frame.h"
#include "tables/code/arm/jump_table.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace uwind {

// Different frames and their numbers.
class ArmFrameSet {
public:
	std::uint32_t number_of(const ArmFrame& frame);
	const ArmFrame& operator[](std::uint32_t number) const { return frames_[number]; }

private:
	struct Hash {
		std::size_t operator()(const ArmFrame& frame) const { return frame.hash(); }
	};
	std::vector<ArmFrame> frames_;
	std::unordered_map<ArmFrame, std::uint32_t, Hash> numbers_;
	std::uint32_t last_ = 0;
};

// A call of a function that may lie elsewhere.
struct ArmCall {
	std::uint32_t from, target; // addresses
	bool thumb;
};

// Places are halfwords, counted from the stretch's first.
class ArmPaths {
public:
	// Functions at these addresses (sorted) do not return.
	ArmPaths(Bytes code, std::uint32_t address, const std::vector<std::uint32_t>& no_return);

	std::size_t places() const { return code_.size() / 2; }
	bool is_settled(std::size_t at) const { return seen_[at] == settled; }
	bool is_unseen(std::size_t at) const { return seen_[at] == unseen && !data_[at]; }
	bool is_data(std::size_t at) const { return data_[at]; }
	bool is_thumb(std::size_t at) const { return thumb_[at]; }
	const ArmFrame& frame(std::size_t at) const { return frames_[frame_of_[at]]; }
	ArmFrame numbered(std::uint32_t number) const { return frames_[number]; }
	ArmInstruction decode(std::size_t at, bool thumb) const;
	// The place of an address; places(): another stretch's.
	std::size_t place_of(std::uint32_t address) const;

	void set_begin(std::size_t at, bool begins) { begins_[at] = begins; }
	bool begins(std::size_t at) const { return begins_[at]; }
	// Frames of which one belongs to each block that only computed jumps reach.
	void set_known_jumps(std::vector<std::uint32_t> jumps) { known_jumps_ = std::move(jumps); }

	// Whether code makes sense that begins at a place with this frame: no path comes to what is
	// impossible, and not all of them to what is no instruction. blames: calls may
	// be taken for calls that do not return.
	enum class Proof : std::uint8_t {
		none,
		leaves, // it gives its caller's frame to another function, or saves and never returns
		strong, // it returns as it should, or meets settled code with the same frame
	};
	bool follow(std::size_t at, bool thumb, const ArmFrame& frame, Proof needed, bool blames);
	// Calls in what a beginning leads to, whether or not it makes sense.
	std::vector<ArmCall> calls_from(std::size_t at, bool thumb);
	// Keep, or forget, what was followed.
	void settle();
	void forget();
	// The same; what was followed is no beginning, whatever it looks like.
	void forget_and_doubt();
	bool is_doubtful(std::size_t at) const { return doubtful_[at]; }
	// Of what was followed.
	const std::vector<ArmCall>& calls() const { return calls_; }
	const std::vector<std::uint32_t>& jumps() const { return jumps_; }
	// Frames behind calls, as an exception finds them, where the return address has been saved.
	const std::vector<std::uint32_t>& landings() const { return landings_; }
	const std::vector<std::uint32_t>& pointers() const { return pointers_; }
	bool never_returned() const { return !returned_; }
	void add_no_return(std::size_t at) { no_return_[at] = true; }

private:
	enum Seen : std::uint8_t { unseen, settled, tried, settled_inside, tried_inside };

	struct Step {
		std::size_t at;
		ArmInstruction instruction;
		bool opposite;
	};

	bool follow_once(std::size_t at, bool thumb, const ArmFrame& frame);
	void step(std::size_t at);
	void step_block(std::size_t at, const std::vector<Step>& steps, std::size_t next);
	void stay_at(const Step& step, ArmFrame frame, std::size_t begin);
	bool add_block(const ArmInstruction& it, std::uint8_t condition, std::vector<Step>& steps,
		       std::size_t& next) const;
	std::vector<Step> block_at(std::size_t at, const ArmInstruction& first, std::size_t& next) const;
	bool pass(const Step& step, ArmFrame& frame, std::uint32_t& via);
	void note_landing(const ArmInstruction& call, const ArmFrame& frame);
	bool pass_computed_jump(const Step& step, const ArmFrame& frame, std::uint32_t via);
	void pass_table(const ArmJumpTable& table, const ArmFrame& frame, std::uint32_t via);
	std::vector<ArmInstruction> before(std::size_t at) const;
	void go_to(const Step& step, const ArmFrame& frame, std::uint32_t via);
	void fall_to(std::size_t at, bool thumb, const ArmFrame& frame, std::uint32_t via);
	void arrive(std::size_t at, bool thumb, const ArmFrame& frame, std::uint32_t via);
	void meet(std::size_t at, bool thumb, const ArmFrame& frame, std::uint32_t via);
	void occupy(std::size_t at, bool thumb, const ArmFrame& frame, std::uint32_t via, unsigned halves);
	void note_data(std::uint32_t address, std::size_t bytes);
	void check_data();
	void fail(std::uint32_t via);
	void prove(Proof proof) { proof_ = std::max(proof_, proof); }
	void note_pointers(std::size_t at);
	void note_pointer(std::uint32_t value);
	bool calls_no_return(const ArmInstruction& instruction) const;

	const Bytes code_;
	const std::uint32_t address_;
	const std::vector<std::uint32_t>& no_return_elsewhere_;
	ArmFrameSet frames_;
	std::vector<std::uint8_t> seen_;
	std::vector<bool> thumb_, data_, begins_, doubtful_;
	std::vector<bool> no_return_;         // of beginnings
	std::vector<bool> last_calls_;        // calls behind which the path ends
	std::vector<std::uint32_t> frame_of_; // before the instruction
	std::vector<std::uint32_t> via_;      // place + 1 of the last call on the way there
	std::vector<std::uint32_t> known_jumps_;
	std::size_t steps_left_;
	// Of what is being tried.
	std::vector<std::size_t> pending_, trail_, tried_data_;
	std::vector<ArmCall> calls_;
	std::vector<std::uint32_t> jumps_, landings_;
	std::vector<std::uint32_t> pointers_; // to code
	bool wrong_ = false, returned_ = false;
	bool ended_ = false; // a path did, as code does: by a jump, a return, a last call, a trap, a loop
	Proof proof_ = Proof::none;
	std::uint32_t culprit_ = 0;
};

} // namespace uwind
