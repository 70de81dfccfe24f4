// SPDX-License-Identifier: GPL-2.0
// A frame of 32-bit Arm as its instructions make it: most programs have no CFI.
#pragma once

#include "model/table_rows.h"
#include "tables/isa/arm/instruction.h"

#include <array>

namespace uwind {

// What is known between two instructions. It begins as at a function's first: nothing is
// on the stack, and the return address is in the link register.
class ArmFrame {
public:
	ArmFrame();
	// A frame of which nothing is known.
	static ArmFrame unknown();
	// An instruction as if its condition held; of calls, what holds behind them.
	void execute(const ArmInstruction& instruction);
	// Kind NONE: where the caller is cannot be said.
	Rule rule() const;
	// SP lies above the CFA: no function does that.
	bool is_impossible() const;
	// A jump through a register or memory goes back to the caller.
	bool jumps_back(const ArmInstruction& instruction) const;
	// What looks like a return is a jump through LR, which was computed.
	bool computed_link(const ArmInstruction& instruction) const;
	// A return would not find the return address, the caller's SP, or its frame pointers.
	bool returns_wrongly(const ArmInstruction& instruction) const;
	// As at a function's first instruction, as far as the next function can see it.
	bool is_whole() const;
	// The link register has another value, which a function that begins here would save.
	bool has_lost_link() const { return !link_.kept; }
	// Without what differs from one jump to the next: registers for the moment.
	ArmFrame at_jump() const;
	bool has_saved_link() const { return link_.stored; }
	// Nobody knows the return address any more: what is called here leads back to no caller.
	bool is_orphaned() const { return knows_base() && link_.is_lost(); }
	// What holds on two ways to one place; false: they contradict each other.
	bool join(const ArmFrame& other);
	bool operator==(const ArmFrame&) const = default;
	std::size_t hash() const;

private:
	static constexpr unsigned nr_regs = 15; // PC is none of them
	static constexpr std::uint8_t no_copy = 255;

	// Where a caller's register is; all three may hold.
	struct Saved {
		bool kept = true; // in its register
		bool stored = false;
		std::int32_t below_cfa = 0;  // stored: there
		std::uint8_t copy = no_copy; // in this register, too
		bool is_lost() const { return !kept && !stored; }
		bool operator==(const Saved&) const = default;
	};

	void change(std::uint8_t number);
	void set_base(std::uint8_t number, std::int64_t cfa_offset);
	void add(const ArmInstruction& instruction);
	void copy(std::uint8_t to, std::uint8_t from);
	void load(const ArmInstruction& instruction);
	void store(const ArmInstruction& instruction);
	void store_register(std::uint8_t number, std::int64_t below_cfa);
	void load_register(std::uint8_t number, std::int64_t below_cfa);
	void move_base(const ArmInstruction& instruction);
	void call();
	bool knows_base() const;
	std::uint8_t best_base() const;
	static void join_saved(Saved& saved, const Saved& other);

	// CFA = register + cfa_from, where the register's bit is set.
	std::uint16_t based_ = 0;
	std::array<std::int32_t, nr_regs> cfa_from_{};
	Saved link_, fp_, base_;
	bool link_computed_ = false; // by an instruction that was no call
};

// Of code that is known without reading it: so many words are pushed, the return address first; none, it is in LR.
Rule arm_rule_of_pushed(std::int32_t words);

} // namespace uwind
