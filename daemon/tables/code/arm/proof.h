// SPDX-License-Identifier: GPL-2.0
// What is known of the frame at each place of 32-bit Arm code, and whether a try at a function makes sense. It knows no
// control flow: paths.h brings a frame to a place.
#pragma once

#include "tables/code/arm/frame_set.h"
#include "tables/code/arm/places.h"
#include "tables/code/arm/text.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace uwind {

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

// The one or two places that an instruction takes.
class ArmTakenPlaces {
public:
	explicit ArmTakenPlaces(std::size_t at) : word_(static_cast<std::uint32_t>(at * 2)) {}
	void add_second() { word_ |= 1; }
	std::size_t at() const { return word_ / 2; }
	std::size_t places() const { return 1 + word_ % 2; }

private:
	std::uint32_t word_;
};

// What is known of the places of a try.
struct ArmTried {
	struct Instruction {
		ArmTakenPlaces taken;
		std::uint32_t via;
		ArmFrameNumber frame;
		bool thumb;
	};
	std::vector<Instruction> instructions; // in the order that paths came to them
	std::vector<std::size_t> data, loads;
	ArmVerdict verdict;
};

class ArmProof {
public:
	explicit ArmProof(const ArmText& text);

	ArmPlaces& places() { return places_; }
	const ArmPlaces& places() const { return places_; }
	// Of a settled place: the place after its instruction and those that follow with the same frame.
	std::size_t end_of_frame(std::size_t at) const;
	ArmFrameNumber frame(std::size_t at) const { return frame_of_[at]; }
	std::uint32_t via(std::size_t at) const { return via_[at]; }
	ArmFrameSet& frames() { return frames_; }
	const ArmFrameSet& frames() const { return frames_; }
	ArmVerdict& verdict() { return verdict_; }
	const ArmVerdict& verdict() const { return verdict_; }

	void begin_try();
	// The try as it is; and as it was, once more. False: not all of its places are unseen now.
	ArmTried keep_try() const;
	bool try_again(const ArmTried& tried);
	// A path comes to a place with this frame. True: what is known of the place has changed.
	bool arrive(std::size_t at, bool thumb, ArmFrameNumber frame, std::uint32_t via);
	// The same, where the place is unseen and the instruction is known.
	void occupy(std::size_t at, const ArmInstruction& instruction, bool thumb, ArmFrameNumber frame,
		    std::uint32_t via);
	// It passes an instruction in the middle of a block that begins elsewhere.
	void note_between(std::size_t at, const ArmInstruction& instruction, ArmFrameNumber frame, std::size_t first);
	// Code loads from there: it is not to be run through.
	void add_data(std::uint32_t address, std::size_t bytes);
	void check_data();
	// Places of what the try took for data, sorted.
	std::vector<std::size_t> tried_data() const;

	// Ends a try: keeps what was found, and says which instructions load a word of data; or forgets it.
	std::vector<std::size_t> settle();
	void forget();
	// The same; what was tried is no beginning, whatever it looks like.
	void forget_and_doubt();

private:
	using Taken = ArmTakenPlaces;
	using Seen = ArmPlaces::Seen;

	bool take_places(std::size_t at, std::size_t count, bool thumb);
	bool meet(std::size_t at, bool thumb, ArmFrameNumber frame, std::uint32_t via);
	void fail_nearest(std::size_t at, std::uint32_t via);

	const ArmText& text_;
	ArmFrameSet frames_;
	ArmPlaces places_;
	// Of places that are settled or tried.
	const std::unique_ptr<ArmFrameNumber[]> frame_of_; // before the instruction
	const std::unique_ptr<std::uint32_t[]> via_;       // of the path that came there first
	// Of what is being tried.
	std::vector<Taken> trail_;
	std::vector<std::size_t> tried_data_, loads_;
	ArmVerdict verdict_;
};

// An instruction's, which are one or two. False: not all of them are unseen.
inline bool ArmProof::take_places(std::size_t at, std::size_t count, bool thumb)
{
	if (!places_.is_unseen(at))
		return false;
	places_.try_at(at, thumb);
	trail_.push_back(Taken(at));
	if (count < 2)
		return true;
	if (at + 1 >= places_.count() || !places_.is_unseen(at + 1))
		return false;
	places_.set_seen(at + 1, Seen::tried_inside);
	trail_.back().add_second();
	return true;
}

inline void ArmProof::occupy(std::size_t at, const ArmInstruction& instruction, bool thumb, ArmFrameNumber frame,
			     std::uint32_t via)
{
	if (!take_places(at, instruction.bytes / 2, thumb))
		return verdict_.fail(via);
	if (instruction.literal_bytes == 4 && instruction.action == ArmAction::none)
		loads_.push_back(at);
	frame_of_[at] = frame;
	via_[at] = via;
}

} // namespace uwind
