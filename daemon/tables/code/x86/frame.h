// SPDX-License-Identifier: GPL-2.0
// A frame of x86 as its instructions make it: for code without CFI, or with CFI that
// contradicts itself. effect.h says what an instruction does to it.
#pragma once

#include "model/table_rows.h"
#include "tables/isa/x86/instruction.h"

#include <optional>

namespace uwind {

// What is known between two instructions. It begins as at a function's first: the
// return address is on top of the stack. Registers have their numbers in instructions.
class X86Frame {
public:
	// SP or FP: the CFA is that many bytes above it.
	struct Pointer {
		bool known = false;
		std::int32_t to_cfa = 0;
		bool operator==(const Pointer&) const = default;
	};

	explicit X86Frame(Arch arch);
	// Kind NONE: where the caller is cannot be said.
	Rule rule() const;
	// SP lies above the return address, or above a register that will be restored: no
	// function does that.
	bool is_impossible() const;
	// At a return: it would not find the return address, or this cannot be said.
	bool returns_wrongly() const;
	// At a call: SP is a multiple of 16, as the ABI of amd64 wants it, or this is not known.
	bool calls_aligned() const { return word_ == 4 || !sp_.known || sp_.to_cfa % 16 == 0; }
	// What holds on both ways to one place. False: they differ in where the CFA is, or it
	// cannot be said any more; the frame is then of no use.
	bool join(const X86Frame& other);
	bool operator==(const X86Frame&) const = default;

	std::uint8_t word() const { return word_; }
	Pointer sp() const { return sp_; }
	void set_sp(Pointer sp) { sp_ = sp; }
	// How far the CFA is above a register; nothing: not known.
	std::optional<std::int64_t> to_cfa(std::uint8_t reg) const
	{
		const Pointer pointer = reg == x86_sp ? sp_ : reg == x86_bp ? fp_ : Pointer{};
		return pointer.known ? std::optional<std::int64_t>(pointer.to_cfa) : std::nullopt;
	}

	// A register gets an unknown value.
	void change(std::uint8_t reg);
	void copy(std::uint8_t to, std::uint8_t from);
	// It gets the address of what lies below the CFA, if that is known.
	void point(std::uint8_t reg, std::optional<std::int64_t> below_cfa);
	void move_sp(std::int64_t bytes);
	void push(std::uint8_t reg);
	void pop(std::uint8_t reg);
	// All of it goes to, or comes from, what lies below the CFA.
	void store(std::uint8_t reg, std::int64_t below_cfa);
	void load(std::uint8_t reg, std::optional<std::int64_t> below_cfa);
	// SP is rounded down. False: no register has the CFA.
	bool round_sp();
	// SP is set from a register, where SP has been rounded. False: that register has not the CFA.
	bool return_to_cfa(std::uint8_t reg, std::int64_t below_cfa);

private:
	enum class Where : std::uint8_t { in_register, on_stack, lost };
	struct Saved {
		Where where = Where::in_register;
		std::int32_t below_cfa = 0; // on_stack
		void join(const Saved& other);
		bool operator==(const Saved&) const = default;
	};

	// A register that has the CFA: gcc's way to find it again where it has rounded SP down.
	struct CfaHolder {
		bool in_register = false;
		std::int32_t slot = 0; // on the stack, that far below where SP was rounded; 0: not yet
		bool operator==(const CfaHolder&) const = default;
	};

	void forget_stack();
	Rule rounded_rule() const;
	// ecx, or r10 on amd64: numbers that DWARF has, too.
	std::uint8_t holder_reg() const { return word_ == 4 ? 1 : 10; }
	Saved* saved(std::uint8_t reg);

	Arch arch_;
	std::uint8_t word_;
	Pointer sp_, fp_;
	Saved saved_fp_, saved_base_;
	CfaHolder holder_;
	bool rounded_ = false; // all is counted from where SP was rounded, not from the CFA
};

} // namespace uwind
