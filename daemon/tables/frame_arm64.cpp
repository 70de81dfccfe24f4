// SPDX-License-Identifier: GPL-2.0
// Encodings: Arm Architecture Reference Manual, C4.1. An integer instruction that
// writes SP, X29 or X30 is either understood or makes that register unknown.
#include "tables/frame_arm64.h"

extern "C" {
#include "types.h"
}

namespace uwind {
namespace {

constexpr std::uint32_t fp = UW_ARM64_FP, link = UW_ARM64_LR, sp = UW_ARM64_SP;
constexpr std::int32_t max_frame_bytes = 1 << 24;

constexpr std::uint32_t bits(std::uint32_t word, unsigned from, unsigned count)
{
	return word >> from & ((1u << count) - 1);
}

constexpr std::int32_t signed_bits(std::uint32_t word, unsigned from, unsigned count)
{
	return static_cast<std::int32_t>(word << (32 - from - count)) >> (32 - count);
}

bool is_call(std::uint32_t word)
{
	return (word & 0xfc000000) == 0x94000000 || (word & 0xfefffc00) == 0xd63f0000 || // bl, blr
	       (word & 0xfefff800) == 0xd63f0800;                                        // blraa, blrab
}

} // namespace

Arm64Frame Arm64Frame::unknown()
{
	Arm64Frame frame;
	frame.change(sp);
	frame.change(fp);
	frame.change(link);
	return frame;
}

void Arm64Frame::set_base(bool known, std::int32_t cfa_offset)
{
	reached_out_ |= known && cfa_offset < 0;
	sp_known_ = known && cfa_offset >= 0 && cfa_offset <= max_frame_bytes;
	cfa_from_sp_ = sp_known_ ? cfa_offset : 0;
}

void Arm64Frame::move_sp(std::int32_t bytes)
{
	set_base(sp_known_, cfa_from_sp_ - bytes);
}

// A register gets another value.
void Arm64Frame::change(std::uint32_t reg)
{
	if (reg == sp)
		set_base(false, 0);
	if (reg == fp)
		fp_known_ = false;
	if (reg == link)
		link_kept_ = false;
	Saved& saved = reg == fp ? fp_ : link_;
	if ((reg == fp || reg == link) && saved.where == Where::in_register)
		saved.where = Where::lost;
}

// Memory at base + offset is used.
void Arm64Frame::reach(std::uint32_t base, std::int32_t offset)
{
	if (base == sp && sp_known_)
		reached_out_ |= offset >= cfa_from_sp_;
	if (base == fp)
		reached_out_ |= !fp_known_ && fp_.where == Where::in_register;
}

// One register goes to, or comes from, memory at base + offset.
void Arm64Frame::transfer(std::uint32_t reg, std::uint32_t base, std::int32_t offset, bool load, bool whole)
{
	const bool by_sp = base == sp && sp_known_, by_fp = base == fp && fp_known_;
	const Saved there{Where::on_stack, offset - (by_sp ? cfa_from_sp_ : cfa_from_fp_)};
	if (reg != fp && reg != link)
		return;
	Saved& saved = reg == fp ? fp_ : link_;
	if (!load) {
		if (whole && (by_sp || by_fp) && saved.where == Where::in_register)
			saved = there;
		return;
	}
	const bool restored = whole && (by_sp || by_fp) && saved == there;
	change(reg);
	if (restored)
		saved = Saved{};
	if (restored && reg == link)
		link_kept_ = true;
}

void Arm64Frame::load_store_pair(std::uint32_t word)
{
	const bool vector = bits(word, 26, 1), load = bits(word, 22, 1);
	const std::uint32_t size = bits(word, 30, 2), index = bits(word, 23, 2), base = bits(word, 5, 5);
	const std::int32_t scale = vector ? 4 << size : size == 2 ? 8 : size == 1 && !load ? 16 : 4;
	const std::int32_t offset = signed_bits(word, 15, 7) * scale;
	const bool written_back = index & 1, before = index != 1;
	if (written_back && before && base == sp)
		move_sp(offset);
	const std::int32_t at = before && !written_back ? offset : 0;
	reach(base, at);
	if (!vector) {
		transfer(bits(word, 0, 5), base, at, load, size == 2);
		transfer(bits(word, 10, 5), base, at + scale, load, size == 2);
	}
	if (written_back && !before && base == sp)
		move_sp(offset);
	if (written_back && base != sp)
		change(base);
}

void Arm64Frame::load_store_single(std::uint32_t word)
{
	const bool vector = bits(word, 26, 1), scaled = bits(word, 24, 1);
	const std::uint32_t size = bits(word, 30, 2), kind = bits(word, 10, 2), base = bits(word, 5, 5);
	const bool load = bits(word, 22, 2) != 0, register_offset = !scaled && bits(word, 21, 1);
	const bool written_back = !scaled && !register_offset && (kind & 1), before = kind == 3;
	std::int32_t offset = scaled ? static_cast<std::int32_t>(bits(word, 10, 12)) << size : signed_bits(word, 12, 9);
	const std::int32_t moved = offset;
	if (written_back && before && base == sp)
		move_sp(moved);
	if (written_back)
		offset = 0;
	if (!register_offset)
		reach(base, offset);
	if (!vector)
		transfer(bits(word, 0, 5), base, offset, load, size == 3 && !register_offset);
	if (written_back && !before && base == sp)
		move_sp(moved);
	if (written_back && base != sp)
		change(base);
}

// add and sub of an immediate; mov from and to SP is one of them.
void Arm64Frame::add_immediate(std::uint32_t word)
{
	const std::uint32_t to = bits(word, 0, 5), from = bits(word, 5, 5);
	const bool flags = bits(word, 29, 1), whole = bits(word, 31, 1);
	std::int32_t value = static_cast<std::int32_t>(bits(word, 10, 12)) << (bits(word, 22, 1) ? 12 : 0);
	if (bits(word, 30, 1))
		value = -value;
	if (flags && to == sp)
		return; // cmp
	if (to == sp && from == sp && whole)
		return move_sp(value);
	if (to == sp && from == fp && whole && fp_known_)
		return set_base(true, cfa_from_fp_ - value);
	const bool frame_pointer = to == fp && from == sp && whole && sp_known_ && !flags;
	change(to);
	if (frame_pointer) {
		fp_known_ = true;
		cfa_from_fp_ = cfa_from_sp_ - value;
	}
}

void Arm64Frame::execute(std::uint32_t word)
{
	if (is_call(word)) {
		reached_out_ |= link_.where == Where::in_register;
		return change(link);
	}
	if ((word & 0x3a000000) == 0x28000000)
		return load_store_pair(word);
	if ((word & 0x3a000000) == 0x38000000)
		return load_store_single(word);
	if ((word & 0x1f800000) == 0x11000000)
		return add_immediate(word);
	const bool load_literal = (word & 0x3f000000) == 0x18000000, system = (word & 0xfff00000) == 0xd5300000; // mrs
	const bool immediate = (word & 0x1c000000) == 0x10000000, registers = (word & 0x0e000000) == 0x0a000000;
	const std::uint32_t to = bits(word, 0, 5);
	const bool logical = (word & 0x1f800000) == 0x12000000 && bits(word, 29, 2) != 3;
	const bool extended = (word & 0x3fe00000) == 0x0b200000;
	if (to == sp ? logical || extended : immediate || registers || load_literal || system)
		change(to);
}

bool Arm64Frame::is_beginning(std::uint32_t word) const
{
	const bool signs = word == 0xd503233f || word == 0xd503237f; // paciasp, pacibsp
	const bool pushes = (word & 0xffc07fff) == 0xa9807bfd;       // stp x29, x30, [sp, #-n]!
	return (signs || pushes) && link_.where != Where::in_register;
}

bool Arm64Frame::join(const Arm64Frame& other)
{
	Arm64Frame same = other;
	same.link_kept_ = link_kept_;
	if (!(same == *this))
		return false;
	link_kept_ = link_kept_ && other.link_kept_;
	return true;
}

Rule Arm64Frame::rule() const
{
	Rule rule;
	const bool popped = link_.where == Where::on_stack && sp_known_ && link_.offset < -cfa_from_sp_;
	if (!link_kept_ && (link_.where != Where::on_stack || popped))
		return rule;
	if (!sp_known_ && !fp_known_)
		return rule;
	rule.kind = UW_RULE_FRAME;
	rule.cfa_reg = sp_known_ ? sp : fp;
	rule.cfa_off = sp_known_ ? cfa_from_sp_ : cfa_from_fp_;
	if (link_.where == Where::on_stack && !popped) {
		rule.ra_place = UW_PLACE_CFA_MEM;
		rule.ra_off = link_.offset;
	}
	if (fp_.where == Where::on_stack) {
		rule.fp_place = UW_PLACE_CFA_MEM;
		rule.fp_off = fp_.offset;
	} else if (fp_.where == Where::lost) {
		rule.fp_place = UW_PLACE_LOST;
	}
	return rule;
}

} // namespace uwind
