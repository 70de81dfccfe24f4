// SPDX-License-Identifier: GPL-2.0
// An integer instruction that writes SP, X29 or X30 is either understood or makes that
// register unknown.
#include "tables/code/arm64/frame.h"

#include "tables/isa/arm64/instruction.h"

extern "C" {
#include "types.h"
}

namespace uwind {
namespace {

constexpr std::uint32_t fp = UW_ARM64_FP, link = UW_ARM64_LR, sp = UW_ARM64_SP;
constexpr std::int32_t max_frame_bytes = 1 << 24;

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
	if (reg == fp) {
		fp_known_ = false;
		cfa_from_fp_ = 0;
	}
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

void Arm64Frame::access(const Arm64Access& access)
{
	if (access.base == sp && access.moved_before)
		move_sp(access.moved_before);
	if (access.known_offset)
		reach(access.base, access.offset);
	const bool whole = access.whole && access.known_offset;
	if (!access.vector) {
		transfer(access.first, access.base, access.offset, access.load, whole);
		if (access.second != access.first)
			transfer(access.second, access.base, access.offset + access.bytes, access.load, whole);
	}
	if (access.base == sp && access.moved_after)
		move_sp(access.moved_after);
	if (access.base != sp && (access.moved_before || access.moved_after))
		change(access.base);
}

void Arm64Frame::add(const Arm64Sum& sum)
{
	if (sum.sets_flags && sum.to == sp)
		return; // cmp
	if (sum.to == sp && sum.from == sp && sum.whole)
		return move_sp(sum.value);
	if (sum.to == sp && sum.from == fp && sum.whole && fp_known_)
		return set_base(true, cfa_from_fp_ - sum.value);
	const bool frame_pointer = sum.to == fp && sum.from == sp && sum.whole && sp_known_ && !sum.sets_flags;
	change(sum.to);
	if (frame_pointer) {
		fp_known_ = true;
		cfa_from_fp_ = cfa_from_sp_ - sum.value;
	}
}

// Only what is understood keeps it.
void Arm64Frame::learn_constant(std::uint32_t word)
{
	const auto part = part_arm64(word);
	if (part && (!part->kept || part->to == constant_register_)) {
		constant_ = (constant_ & part->kept) | part->value;
		constant_register_ = part->to;
		return;
	}
	const auto used = access_arm64(word);
	const auto sum = sum_arm64(word);
	const auto written = written_arm64(word);
	const auto is_constant = [this](std::uint8_t reg) { return reg == constant_register_; };
	const bool understood = used || sum || written || shift_arm64(word) || is_hint_arm64(word);
	const bool changed =
		(used && (is_constant(used->first) || is_constant(used->second) || is_constant(used->base))) ||
		(sum && is_constant(sum->to)) || (written && is_constant(*written));
	if (understood && !changed)
		return;
	constant_register_ = no_register;
	constant_ = 0;
}

void Arm64Frame::execute(std::uint32_t word)
{
	const auto shift = shift_arm64(word);
	const bool by_constant = shift && shift->by == constant_register_ && constant_ <= max_frame_bytes;
	const auto bytes = by_constant ? static_cast<std::int32_t>(constant_) : 0;
	if (by_constant)
		return move_sp(shift->down ? -bytes : bytes);
	learn_constant(word);
	if (flow_arm64(word).way == Arm64Way::call) {
		reached_out_ |= link_.where == Where::in_register;
		return change(link);
	}
	if (const auto used = access_arm64(word))
		return access(*used);
	if (const auto sum = sum_arm64(word))
		return add(*sum);
	if (const auto written = written_arm64(word))
		change(*written);
}

bool Arm64Frame::is_beginning(std::uint32_t word) const
{
	const auto used = access_arm64(word);
	const bool pushes = used && !used->load && !used->vector && used->whole && used->moved_before < 0 &&
			    used->base == sp && used->first == fp && used->second == link;
	return (pushes || signs_arm64(word)) && link_.where != Where::in_register;
}

bool Arm64Frame::join(const Arm64Frame& other)
{
	Arm64Frame same = other;
	same.link_kept_ = link_kept_;
	same.reached_out_ = reached_out_;
	same.constant_register_ = constant_register_;
	same.constant_ = constant_;
	if (!(same == *this))
		return false;
	link_kept_ = link_kept_ && other.link_kept_;
	reached_out_ = reached_out_ || other.reached_out_;
	if (constant_register_ != other.constant_register_ || constant_ != other.constant_) {
		constant_register_ = no_register;
		constant_ = 0;
	}
	return true;
}

bool Arm64Frame::is_bare() const
{
	return link_kept_ && sp_known_ && !cfa_from_sp_ && fp_.where == Where::in_register;
}

bool Arm64Frame::returns_wrongly() const
{
	return sp_known_ && (cfa_from_sp_ || !link_kept_) && rule().kind == UW_RULE_FRAME;
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
