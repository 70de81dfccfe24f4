// SPDX-License-Identifier: GPL-2.0
// Where the top frame of a stack is, told from the shadow stack, SP and the frame
// pointer alone. The first that holds:
//
//   nested     a signal handler that interrupted another one, or what it calls
//   alternate  the handler of SIGUSR2, which is on a stack of its own, or what it calls
//   handler    any other handler, or what it calls
//   exception  the C++ runtime, or what it calls
//   plt        a PLT of the program's, or the dynamic linker, which binds it
//   library    any other library, called by the program
//   callback   the program's code, called by a library
//   leaf       the program's code; this activation calls nobody
//   prologue   … does, and has not yet been in its usual state
//   epilogue   … and will not be in it any more
//   body       … and is between the two
//
// An activation is what one call begins; a function that is jumped to goes on in the
// jumper's. Its state is how far SP is below the CFA and whether the frame pointer is set
// up; the usual one is that in which it executes the most instructions.
#pragma once

#include "elf/segments.h"
#include "judge.h"

#include <compare>

namespace truth {

enum class Position {
	leaf,
	prologue,
	body,
	epilogue,
	plt,
	library,
	callback,
	exception,
	handler,
	alternate,
	nested,
};
inline constexpr const char* position_words[] = {"leaf",     "prologue",  "body",    "epilogue",  "plt",   "library",
						 "callback", "exception", "handler", "alternate", "nested"};
inline constexpr int nr_positions = std::size(position_words);

// Stacks that were looked at; those in which the truth is not defined are in none.
struct Cell {
	std::uint64_t right = 0, wrong = 0;
	std::map<uw_stop, std::uint64_t> incomplete;
	std::uint64_t all() const;
	void add(Verdict verdict, uw_stop stop);
};

class Positions {
public:
	// The program is where main() begins. plts: file offsets of the program's.
	Positions(Stepping& at, std::vector<uwind::OffsetRange> plts);

	// After every step. False: main() is over.
	bool follow();
	// Is the program's own code, PLTs among it, on top?
	bool in_program() const { return code_ == Code::program || code_ == Code::plt; }
	// Handlers in the stack, outermost first.
	std::vector<int> signals() const;
	// The stack at hand has been judged.
	void add(Verdict verdict, uw_stop stop);

	const Cell& cell(Position position) const { return cells_[static_cast<int>(position)]; }
	// Stacks whose top frame is the program's own and has its frame pointer set up.
	const Cell& with_frame_pointer() const { return with_frame_pointer_; }

private:
	struct State {
		std::uint64_t depth;
		bool frame_pointer;
		auto operator<=>(const State&) const = default;
	};
	struct Sample {
		State state;
		Verdict verdict;
		uw_stop stop;
	};
	struct Activation {
		std::uint64_t number; // the call's
		bool calls = false;
		std::vector<Sample> samples;
	};

	enum class Code { program, plt, linker, runtime, library };
	Code code_of(std::uint64_t pc) const;
	bool is_passed_through(Code code) const;
	Position position_outside() const;
	State state() const;
	bool frame_pointer_set(const Call& call) const;
	void settle(const Activation& activation);

	Stepping& at_;
	const std::string program_;
	const std::vector<uwind::OffsetRange> plts_;
	const std::size_t outside_; // calls up to main()'s
	Code code_ = Code::program;
	std::vector<Activation> activations_;
	Cell cells_[nr_positions], with_frame_pointer_;
};

} // namespace truth
