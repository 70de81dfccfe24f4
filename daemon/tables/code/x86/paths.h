// SPDX-License-Identifier: GPL-2.0
// Follows the paths of an x86 function from where it begins. code.cpp says where functions begin; proof.h keeps what
// the paths find out.
#pragma once

#include "tables/code/dead_ends.h"
#include "tables/code/function.h"
#include "tables/code/x86/proof.h"

#include <utility>
#include <vector>

namespace uwind {

// How paths go on after an instruction, as far as functions are known.
struct X86Ways {
	static constexpr std::int64_t nowhere = Successors::nowhere;

	X86Way way = X86Way::next;
	bool understood = false;
	bool ends = false;                             // the path leaves or stops: it makes sense up to here
	bool tail_call = false;                        // it jumps to where another function begins
	std::int64_t target = nowhere, next = nowhere; // where it goes on in the same function, or what it calls

	std::int64_t jump_target() const { return way == X86Way::call ? nowhere : target; }
};

// What the last try has come to.
struct X86Findings {
	std::vector<std::pair<std::size_t, std::int64_t>> calls; // from, to
	std::vector<X86Frame> jumps;                             // frames at its computed jumps
};

// Adds a frame to those that differ; one that joins another one is joined. One more than can be candidates says that
// there are too many.
void add_frame(std::vector<X86Frame>& frames, const X86Frame& frame);
constexpr std::size_t max_x86_candidates = 8;

class X86Paths {
public:
	X86Paths(const X86Text& text, X86Proof& proof, const std::vector<std::uint64_t>& no_return);

	bool begins(std::size_t at) const { return begins_[at]; }
	void set_begin(std::size_t at) { begins_[at] = true; }
	X86Ways ways(std::size_t at) const;

	// Tries whether code that begins at a place with such a frame makes sense. What may be the middle of a function
	// must prove it.
	bool follow(std::size_t at, const X86Frame& frame);
	const X86Findings& findings() const { return findings_; }
	// Keeps what the last try found, but not what proves nothing.
	void settle();
	// What is settled there, and all that it leads to, is certain no more.
	void dispute_from(std::size_t at);

private:
	bool never_returns(std::int64_t at) const;
	void arrive(std::int64_t at, const X86Frame& frame);
	void step(std::size_t at);
	void call(std::size_t at, const X86Ways& ways, X86Frame& frame);
	Successors successors(std::size_t at) const;

	const X86Text& text_;
	X86Proof& proof_;
	const std::vector<std::uint64_t>& no_return_;
	std::vector<bool> begins_; // a function does
	std::size_t steps_left_;
	// Of what is being tried.
	std::vector<std::size_t> pending_;
	bool orphan_ = false; // maybe a function without a direct call
	X86Findings findings_;
};

} // namespace uwind
