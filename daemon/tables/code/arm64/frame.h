// SPDX-License-Identifier: GPL-2.0
// A frame of arm64 as its instructions make it: for code without CFI. effect.h says what an instruction does to it.
#pragma once

#include "model/table_rows.h"

#include <optional>

namespace uwind {

// What is known between two instructions. It begins as at a function's first:
// nothing is on the stack, and the return address is in the link register.
class Arm64Frame {
public:
	// The register that a frame's size may have been loaded into, and the number.
	struct Constant {
		static constexpr std::uint8_t no_register = 32;
		std::uint8_t reg = no_register;
		std::uint64_t value = 0;
		bool operator==(const Constant&) const = default;
	};

	// A frame of which nothing is known.
	static Arm64Frame unknown();
	// Kind NONE: where the caller is cannot be said.
	Rule rule() const;
	// Something that functions rarely do: an instruction used the caller's frame,
	// popped more than was pushed, or called without having saved the way back.
	bool reached_out() const { return reached_out_; }
	// The return address was not saved, and the link register has it.
	bool keeps_link() const { return link_.where == Where::in_register; }
	// Nothing of it is left, or has been made: what holds where a function returns.
	bool is_bare() const;
	// At a return: there is a frame yet, as far as this is known.
	bool returns_wrongly() const;
	// What holds on both ways to one place: false, if they differ in more than whether
	// the link register still has the return address that was saved, reached_out(),
	// and what other registers have.
	bool join(const Arm64Frame& other);
	bool operator==(const Arm64Frame&) const = default;

	// How far the CFA is above SP or FP; nothing: not known.
	std::optional<std::int32_t> to_cfa(std::uint32_t reg) const;
	Constant constant() const { return constant_; }
	void set_constant(const Constant& constant) { constant_ = constant; }

	// A register gets an unknown value.
	void change(std::uint32_t reg);
	void move_sp(std::int32_t bytes);
	void set_sp(std::optional<std::int32_t> to_cfa);
	void set_fp(std::int32_t to_cfa);
	// Memory at base + offset is used.
	void reach(std::uint32_t base, std::int32_t offset);
	// One register goes to memory at base + offset, or comes from there. whole: all 64 bits of it.
	void store(std::uint32_t reg, std::uint32_t base, std::int32_t offset, bool whole);
	void load(std::uint32_t reg, std::uint32_t base, std::int32_t offset, bool whole);
	// A call has returned.
	void call();

private:
	enum class Where : std::uint8_t { in_register, on_stack, lost };
	struct Saved {
		Where where = Where::in_register;
		std::int32_t offset = 0; // on_stack: from the CFA
		bool operator==(const Saved&) const = default;
	};

	Saved* saved(std::uint32_t reg);
	std::optional<Saved> place_of(std::uint32_t base, std::int32_t offset) const;

	// CFA = register + offset, where the register is of use.
	bool sp_known_ = true, fp_known_ = false;
	std::int32_t cfa_from_sp_ = 0, cfa_from_fp_ = 0;
	Saved link_, fp_;
	bool link_kept_ = true; // the link register is as it was at the beginning
	bool reached_out_ = false;
	Constant constant_;
};

} // namespace uwind
