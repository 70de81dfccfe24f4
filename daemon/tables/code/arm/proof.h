// SPDX-License-Identifier: GPL-2.0
// What is known of the frame at each place of 32-bit Arm code, and whether a try at a function makes sense. It knows no
// control flow: paths.h brings a frame to a place.
#pragma once

#include "tables/code/arm/frame.h"
#include "tables/code/arm/text.h"

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

// What shows that a try found a function.
enum class ArmEvidence : std::uint8_t {
	none,
	leaves, // it gives its caller's frame to another function, or saves and never returns
	strong, // it returns as it should, or meets settled code with the same frame
};

// Of one try. via: place + 1 of the last call on the way there; 0: none.
struct ArmVerdict {
	bool wrong = false, returned = false;
	bool ended = false; // a path did, as code does: by a jump, a return, a last call, a trap, a loop
	ArmEvidence evidence = ArmEvidence::none;
	std::uint32_t culprit = 0; // the via of what was wrong first

	void fail(std::uint32_t via)
	{
		culprit = wrong ? culprit : via;
		wrong = true;
	}
	void show(ArmEvidence shown) { evidence = std::max(evidence, shown); }
};

class ArmProof {
public:
	explicit ArmProof(const ArmText& text);

	// A settled place has a frame for good; an unseen one may still be code.
	bool is_settled(std::size_t at) const { return seen_[at] == settled; }
	bool is_unseen(std::size_t at) const { return seen_[at] == unseen && !data_[at]; }
	// An instruction of what is being tried; or a place inside of one.
	bool is_tried(std::size_t at) const { return seen_[at] == tried; }
	bool is_inside_tried(std::size_t at) const { return seen_[at] == tried_inside; }
	bool is_doubtful(std::size_t at) const { return doubtful_[at]; }
	bool is_thumb(std::size_t at) const { return thumb_[at]; }
	const ArmFrame& frame(std::size_t at) const { return frames_[frame_of_[at]]; }
	std::uint32_t via(std::size_t at) const { return via_[at]; }
	ArmFrameSet& frames() { return frames_; }
	ArmVerdict& verdict() { return verdict_; }
	const ArmVerdict& verdict() const { return verdict_; }

	void begin_try();
	// A path comes to a place with this frame. True: what is known of the place has changed.
	bool arrive(std::size_t at, bool thumb, const ArmFrame& frame, std::uint32_t via);
	// It passes an instruction in the middle of a block that begins elsewhere.
	void note_between(std::size_t at, const ArmInstruction& instruction, ArmFrame frame, std::size_t begin);
	// Code loads from there: it is not to be run through.
	void add_data(std::uint32_t address, std::size_t bytes);
	void check_data();
	// Places of what the try took for data, sorted.
	std::vector<std::size_t> tried_data() const;

	// Ends a try: keeps what was found, and says which instructions; or forgets it.
	std::vector<std::size_t> settle();
	void forget();
	// The same; what was tried is no beginning, whatever it looks like.
	void forget_and_doubt();

private:
	enum Seen : std::uint8_t { unseen, settled, tried, settled_inside, tried_inside };

	bool meet(std::size_t at, bool thumb, const ArmFrame& frame, std::uint32_t via);
	void occupy(std::size_t at, bool thumb, const ArmFrame& frame, std::uint32_t via, unsigned halves);

	const ArmText& text_;
	ArmFrameSet frames_;
	std::vector<std::uint8_t> seen_;
	std::vector<bool> thumb_, data_, doubtful_;
	std::vector<std::uint32_t> frame_of_; // before the instruction
	std::vector<std::uint32_t> via_;      // of the path that came there first
	// Of what is being tried.
	std::vector<std::size_t> trail_, tried_data_;
	ArmVerdict verdict_;
};

} // namespace uwind
