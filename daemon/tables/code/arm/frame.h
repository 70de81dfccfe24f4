// SPDX-License-Identifier: GPL-2.0
// A frame of 32-bit Arm as its instructions make it: most programs have no CFI. effect.h
// says what an instruction does to it.
#pragma once

#include "model/table_rows.h"

extern "C" {
#include "types.h"
}

#include <array>
#include <optional>

namespace uwind {

// What is known between two instructions. It begins as at a function's first: nothing is
// on the stack, and the return address is in the link register.
class ArmFrame {
public:
	static constexpr unsigned nr_regs = 15; // PC is none of them

	ArmFrame();
	// A frame of which nothing is known.
	static ArmFrame unknown();
	// Kind NONE: where the caller is cannot be said.
	Rule rule() const;
	// SP lies above the CFA: no function does that.
	bool is_impossible() const { return based_ >> UW_ARM_SP & 1 && to_cfa_[UW_ARM_SP] < 0; }
	// As at a function's first instruction, as far as the next function can see it.
	bool is_whole() const;
	// The same at a return, where the link register may have any value.
	bool is_given_back() const;
	bool has_saved_link() const { return link_.stored; }
	// An instruction that was no call wrote the link register.
	bool has_computed_link() const { return !link_.kept && link_computed_; }
	// The return address is lost: what is called here leads back to no caller.
	bool is_orphaned() const { return best_base() != UW_ARM_PC && link_.is_lost(); }
	// A register has the return address; or what lies below the CFA is that.
	bool holds_link(std::uint8_t number) const;
	bool link_is_at(std::int64_t below_cfa) const { return link_.stored && link_.below_cfa == below_cfa; }
	// One of a caller's registers lies between these distances below the CFA, inclusive.
	bool has_saved(std::int64_t from, std::int64_t to) const
	{
		const auto between = [&](const Saved& saved) {
			return saved.stored && saved.below_cfa >= from && saved.below_cfa <= to;
		};
		return between(link_) || between(fp_) || between(base_);
	}
	// How far the CFA is above a register; nothing: not known.
	std::optional<std::int64_t> to_cfa(std::uint8_t number) const
	{
		return based_ >> number & 1 ? std::optional<std::int64_t>(to_cfa_[number]) : std::nullopt;
	}
	// Without what differs from one jump to the next: registers for the moment.
	ArmFrame at_jump() const;
	// What holds on two ways to one place; false: they contradict each other.
	bool join(const ArmFrame& other);
	bool operator==(const ArmFrame&) const = default;
	std::size_t hash() const;

	// Registers that the frame says something of: a change of another one leaves it as it is.
	std::uint16_t described() const;
	// Each register of a mask gets an unknown value.
	void change(std::uint16_t numbers);
	void copy(std::uint8_t to, std::uint8_t from);
	// CFA = register + offset. What lies below SP is not saved any more.
	void set_base(std::uint8_t number, std::int64_t to_cfa);
	void store(std::uint8_t number, std::int64_t below_cfa);
	void load(std::uint8_t number, std::int64_t below_cfa);
	// A call has returned.
	void call();

private:
	static constexpr std::uint8_t no_copy = 255;

	// Where a caller's register is; all three may hold.
	struct Saved {
		bool kept = true; // in its register
		bool stored = false;
		std::int32_t below_cfa = 0;  // stored: there
		std::uint8_t copy = no_copy; // in this register, too
		bool is_lost() const { return !kept && !stored; }
		bool holds(std::uint8_t number, std::uint8_t home) const
		{
			return (kept && number == home) || copy == number;
		}
		void forget_stored();
		void join(const Saved& other);
		bool operator==(const Saved&) const = default;
	};

	std::uint8_t best_base() const; // PC: none

	// CFA = register + to_cfa_, where the register's bit is set.
	std::uint16_t based_ = 0;
	std::array<std::int32_t, nr_regs> to_cfa_{};
	Saved link_, fp_, base_;
	bool link_computed_ = false; // by an instruction that was no call
};

// Of code that is known without reading it: so many words are pushed, the return address first; none, it is in LR.
Rule arm_rule_of_pushed(std::int32_t words);

} // namespace uwind
