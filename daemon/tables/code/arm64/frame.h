// SPDX-License-Identifier: GPL-2.0
// A frame of arm64 as its instructions make it: for code without CFI.
#pragma once

#include "model/table_rows.h"

namespace uwind {

struct Arm64Access;
struct Arm64Sum;

// What is known between two instructions. It begins as at a function's first:
// nothing is on the stack, and the return address is in the link register.
class Arm64Frame {
public:
	// A frame of which nothing is known.
	static Arm64Frame unknown();
	// An instruction that is no branch; of calls, what they do to the link register.
	void execute(std::uint32_t word);
	// Kind NONE: where the caller is cannot be said.
	Rule rule() const;
	// Something that functions rarely do: an instruction used the caller's frame,
	// popped more than was pushed, or called without having saved the way back.
	bool reached_out() const { return reached_out_; }
	// The instruction begins a function, whatever runs into it.
	bool is_beginning(std::uint32_t word) const;
	// Nothing of it is left, or has been made: what holds where a function returns.
	bool is_bare() const;
	// At a return: there is a frame yet, as far as this is known.
	bool returns_wrongly() const;
	// What holds on both ways to one place: false, if they differ in more than whether
	// the link register still has the return address that was saved, reached_out(),
	// and what other registers have.
	bool join(const Arm64Frame& other);
	bool operator==(const Arm64Frame&) const = default;

private:
	static constexpr std::uint8_t no_register = 32;
	enum class Where : std::uint8_t { in_register, on_stack, lost };
	struct Saved {
		Where where = Where::in_register;
		std::int32_t offset = 0; // on_stack: from the CFA
		bool operator==(const Saved&) const = default;
	};

	void access(const Arm64Access& access);
	void transfer(std::uint32_t reg, std::uint32_t base, std::int32_t offset, bool load, bool whole);
	void add(const Arm64Sum& sum);
	void learn_constant(std::uint32_t word);
	void change(std::uint32_t reg);
	void reach(std::uint32_t base, std::int32_t offset);
	void move_sp(std::int32_t bytes);
	void set_base(bool known, std::int32_t cfa_offset);

	// CFA = register + offset, where the register is of use.
	bool sp_known_ = true, fp_known_ = false;
	std::int32_t cfa_from_sp_ = 0, cfa_from_fp_ = 0;
	Saved link_, fp_;
	bool link_kept_ = true; // the link register is as it was at the beginning
	bool reached_out_ = false;
	// The register that a frame's size may have been loaded into, and the number.
	std::uint8_t constant_register_ = no_register;
	std::uint64_t constant_ = 0;
};

} // namespace uwind
