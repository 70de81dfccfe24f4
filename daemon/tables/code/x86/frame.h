// SPDX-License-Identifier: GPL-2.0
// A frame of x86 as its instructions make it: for code without CFI, or with CFI that
// contradicts itself.
#pragma once

#include "model/table_rows.h"
#include "tables/isa/x86/instruction.h"

namespace uwind {

// What is known between two instructions. It begins as at a function's first: the
// return address is on top of the stack.
class X86Frame {
public:
	explicit X86Frame(Arch arch);
	// A frame of which nothing is known.
	static X86Frame unknown(Arch arch);
	// An instruction after which SP is no known number of bytes from where it was.
	static bool loses_sp(const X86Instruction& instruction, Arch arch);
	// An instruction; of calls, what holds behind them.
	void execute(const X86Instruction& instruction);
	void push_word() { move_sp(-word_); }
	// Kind NONE: where the caller is cannot be said.
	Rule rule() const;
	// SP lies above the return address, or above a register that will be restored: no
	// function does that.
	bool is_impossible() const;
	// At a return: it would not find the return address, or this cannot be said.
	bool returns_wrongly() const;
	// At a call: SP is a multiple of 16, as the ABI of amd64 wants it, or this is not known.
	bool calls_aligned() const { return word_ == 4 || !sp_known_ || cfa_from_sp_ % 16 == 0; }
	// What holds on both ways to one place. False: they differ in where the CFA is, or it
	// cannot be said any more; the frame is then of no use.
	bool join(const X86Frame& other);
	bool operator==(const X86Frame&) const = default;

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

	void move_sp(std::int64_t bytes);
	void forget_sp();
	void forget_fp();
	void push(const X86Instruction& instruction);
	void push_register(std::uint8_t reg);
	void pop_register(std::uint8_t reg);
	void leave();
	void change(std::uint8_t reg);
	void store(std::uint8_t reg, const X86Instruction& instruction);
	void load(std::uint8_t reg, const X86Instruction& instruction);
	void move_register(std::uint8_t to, std::uint8_t from);
	void execute_any(const X86Instruction& instruction);
	void execute_one(const X86Instruction& instruction);
	void execute_arithmetic(const X86Instruction& instruction);
	void execute_group(const X86Instruction& instruction);
	void execute_address(const X86Instruction& instruction);
	bool execute_stack(const X86Instruction& instruction);
	void write_operand(const X86Instruction& instruction);
	bool address_of(const X86Instruction& instruction, std::int64_t& below_cfa) const;
	// ecx, or r10 on amd64: numbers that DWARF has, too.
	std::uint8_t holder_reg() const { return word_ == 4 ? 1 : 10; }
	void round_sp();
	void go_back_to_cfa(std::int64_t below_cfa);
	Rule rounded_rule() const;
	Saved* saved(std::uint8_t reg);

	Arch arch_;
	std::uint8_t word_;
	bool sp_known_ = true, fp_known_ = false;
	std::int32_t cfa_from_sp_, cfa_from_fp_ = 0;
	Saved fp_, base_;
	CfaHolder holder_;
	bool rounded_ = false; // all is counted from where SP was rounded, not from the CFA
};

} // namespace uwind
