// SPDX-License-Identifier: GPL-2.0
// What is known of the frame at each place of arm64 code, and whether a try at a function makes sense. It knows no
// control flow: paths.h brings a frame to a place.
#pragma once

#include "tables/code/arm64/frame.h"
#include "tables/code/arm64/text.h"

#include <vector>

namespace uwind {

// Of one try.
struct Arm64Verdict {
	bool wrong = false;  // two paths disagree, or it returned with a frame
	bool proven = false; // it returned well, or met what is settled
	bool reached_out = false;
};

class Arm64Proof {
public:
	explicit Arm64Proof(const Arm64Text& text);

	bool is_reached(std::size_t at) const { return seen_[at] == reached; }
	bool is_disputed(std::size_t at) const { return seen_[at] == disputed; }
	bool is_unseen(std::size_t at) const { return seen_[at] == unseen; }
	const Arm64Frame& frame(std::size_t at) const { return frames_[at]; }
	Arm64Verdict& verdict() { return verdict_; }
	const Arm64Verdict& verdict() const { return verdict_; }

	// A try begins at a place with this frame, whatever was known of the place.
	void begin_try(std::size_t at, const Arm64Frame& frame);
	// A path comes to a place with this frame. True: what is known of the place has changed.
	bool arrive(std::size_t at, const Arm64Frame& frame);

	// Ends a try: keeps what was found; or disputes what no other one has reached; or forgets it all.
	void settle();
	void settle_as_disputed();
	void forget();
	// Places of the last try, in the order of the paths; one may come twice.
	std::vector<std::size_t> tried() const;
	// No row may be claimed there.
	void dispute(std::size_t at) { seen_[at] = disputed; }

private:
	enum Seen : std::uint8_t { unseen, reached, disputed };
	struct Change {
		std::size_t at;
		std::uint8_t seen;
		Arm64Frame frame;
	};

	void reach(std::size_t at, const Arm64Frame& frame);

	std::vector<std::uint8_t> seen_;
	std::vector<Arm64Frame> frames_; // before each instruction
	std::vector<bool> settled_;      // by other tries
	std::vector<Change> trail_;      // of what is being tried
	Arm64Verdict verdict_;
};

} // namespace uwind
