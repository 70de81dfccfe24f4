// SPDX-License-Identifier: GPL-2.0
// What is known of the frame at each place of x86 code, and whether a try at a function makes sense. It knows no
// control flow: paths.h brings a frame to a place.
#pragma once

#include "tables/code/x86/frame.h"
#include "tables/code/x86/text.h"

#include <vector>

namespace uwind {

// Of one try.
struct X86Verdict {
	bool wrong = false;
	bool returned = false; // well
	bool proven = false;   // so it did, or jumped to a function, or met what is settled
};

class X86Proof {
public:
	explicit X86Proof(const X86Text& text);

	// A settled place has a frame for good, as an instruction's first byte; a disputed one has none.
	bool is_settled(std::size_t at) const { return seen_[at] == settled; }
	bool is_disputed(std::size_t at) const { return seen_[at] == disputed; }
	bool is_unseen(std::size_t at) const { return seen_[at] == unseen; }
	const X86Frame& frame(std::size_t at) const { return frames_[at]; }
	X86Verdict& verdict() { return verdict_; }
	const X86Verdict& verdict() const { return verdict_; }

	void begin_try();
	// A path comes to a place with this frame. True: what is known of the place has changed.
	bool arrive(std::size_t at, const X86Frame& frame);

	// Ends a try: keeps what was found, and says at which places, rising; or forgets it.
	std::vector<std::size_t> settle();
	void forget();
	// After settle(): no row may be claimed there.
	void dispute(std::size_t at) { seen_[at] = disputed; }
	// The instruction that is settled there is so long.
	void cover(std::size_t at, unsigned bytes);

private:
	// body: after the first byte of an instruction that is settled.
	enum Seen : std::uint8_t { unseen, settled, disputed, tried, body };
	struct Change {
		std::size_t at;
		std::uint8_t seen;
		X86Frame frame;
	};

	static bool is_new(std::uint8_t seen) { return seen == unseen || seen == body; }

	std::vector<std::uint8_t> seen_; // of an instruction's first byte
	std::vector<X86Frame> frames_;   // before it
	std::vector<Change> trail_;      // of what is being tried
	X86Verdict verdict_;
};

} // namespace uwind
