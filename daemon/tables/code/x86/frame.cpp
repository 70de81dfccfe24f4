// SPDX-License-Identifier: GPL-2.0
#include "tables/code/x86/frame.h"

extern "C" {
#include "types.h"
}

namespace uwind {
namespace {

constexpr std::int64_t max_frame_bytes = 1 << 24;

// A register that lies so many bytes below the CFA; nothing is known of one that lies elsewhere.
X86Frame::Pointer pointer_below(std::int64_t below_cfa)
{
	if (below_cfa < 0 || below_cfa > max_frame_bytes)
		return {};
	return {true, static_cast<std::int32_t>(below_cfa)};
}

} // namespace

X86Frame::X86Frame(Arch arch)
    : arch_(arch), word_(static_cast<std::uint8_t>(word_bytes(arch))), sp_(pointer_below(word_))
{
}

X86Frame::Saved* X86Frame::saved(std::uint8_t reg)
{
	return reg == x86_bp ? &saved_fp_ : reg == x86_bx ? &saved_base_ : nullptr;
}

void X86Frame::move_sp(std::int64_t bytes)
{
	sp_ = sp_.known ? pointer_below(sp_.to_cfa - bytes) : Pointer{};
}

void X86Frame::change(std::uint8_t reg)
{
	holder_.in_register &= reg != holder_reg();
	if (reg == x86_sp)
		sp_ = {};
	if (reg == x86_bp)
		fp_ = {};
	Saved* const place = saved(reg);
	if (place && place->where == Where::in_register)
		place->where = Where::lost;
}

void X86Frame::copy(std::uint8_t to, std::uint8_t from)
{
	if (to == x86_sp && from == x86_bp && fp_.known) {
		sp_ = fp_;
		return;
	}
	change(to);
	if (to == x86_bp && from == x86_sp && sp_.known)
		fp_ = sp_;
}

void X86Frame::point(std::uint8_t reg, std::optional<std::int64_t> below_cfa)
{
	change(reg);
	if (!below_cfa)
		return;
	if (reg == holder_reg() && !*below_cfa && !rounded_)
		holder_ = {true, 0};
	if (reg == x86_sp)
		sp_ = pointer_below(*below_cfa);
	if (reg == x86_bp)
		fp_ = pointer_below(*below_cfa);
}

void X86Frame::push(std::uint8_t reg)
{
	move_sp(-word_);
	if (rounded_ && sp_.known && reg == holder_reg() && holder_.in_register)
		holder_.slot = sp_.to_cfa;
	Saved* const place = saved(reg);
	if (place && place->where == Where::in_register && sp_.known)
		*place = {Where::on_stack, sp_.to_cfa};
}

void X86Frame::pop(std::uint8_t reg)
{
	load(reg, to_cfa(x86_sp));
	if (reg != x86_sp)
		move_sp(word_);
}

void X86Frame::store(std::uint8_t reg, std::int64_t below_cfa)
{
	Saved* const place = saved(reg);
	if (place && place->where == Where::in_register && below_cfa > word_ && below_cfa <= max_frame_bytes)
		*place = {Where::on_stack, static_cast<std::int32_t>(below_cfa)};
}

void X86Frame::load(std::uint8_t reg, std::optional<std::int64_t> below_cfa)
{
	Saved* const place = saved(reg);
	const bool restored = place && place->where == Where::on_stack && below_cfa == place->below_cfa;
	change(reg);
	holder_.in_register |= reg == holder_reg() && holder_.slot && below_cfa == holder_.slot;
	if (restored)
		*place = Saved{};
}

// What lies above a rounded SP cannot be found, unless it is in its register.
void X86Frame::forget_stack()
{
	for (Saved* const place : {&saved_fp_, &saved_base_})
		if (place->where == Where::on_stack)
			*place = {Where::lost, 0};
	fp_ = {};
}

bool X86Frame::round_sp()
{
	if (!holder_.in_register || rounded_)
		return false;
	forget_stack();
	rounded_ = true;
	sp_ = pointer_below(0);
	return true;
}

bool X86Frame::return_to_cfa(std::uint8_t reg, std::int64_t below_cfa)
{
	if (!rounded_ || !holder_.in_register || reg != holder_reg())
		return false;
	forget_stack();
	rounded_ = false;
	sp_ = pointer_below(below_cfa);
	holder_ = {};
	return true;
}

bool X86Frame::is_impossible() const
{
	const auto popped = [&](const Saved& place) {
		return place.where == Where::on_stack && place.below_cfa > sp_.to_cfa;
	};
	return sp_.known && ((sp_.to_cfa < word_ && !rounded_) || popped(saved_fp_) || popped(saved_base_));
}

bool X86Frame::returns_wrongly() const
{
	return rounded_ || !sp_.known || sp_.to_cfa != word_;
}

void X86Frame::Saved::join(const Saved& other)
{
	if (!(*this == other))
		*this = {Where::lost, 0};
}

// Go's compiler, for one, uses the base register for anything, and has it or not where ways meet.
bool X86Frame::join(const X86Frame& other)
{
	const bool known = sp_.known || fp_.known || other.sp_.known || other.fp_.known;
	if (rounded_ != other.rounded_ || (sp_.known && other.sp_.known && sp_.to_cfa != other.sp_.to_cfa))
		return false;
	if (!other.sp_.known)
		sp_ = {};
	if (!(fp_ == other.fp_))
		fp_ = {};
	saved_fp_.join(other.saved_fp_);
	saved_base_.join(other.saved_base_);
	holder_.in_register = holder_.in_register && other.holder_.in_register;
	holder_.slot = holder_.slot == other.holder_.slot ? holder_.slot : 0;
	return !known || sp_.known || fp_.known;
}

// SP and FP say where registers were saved. The holder says where the CFA is; it lies on the
// stack unless it was popped.
Rule X86Frame::rounded_rule() const
{
	const uw_abi& abi = uw_abis[static_cast<unsigned>(arch_)];
	const std::int32_t from = fp_.known ? fp_.to_cfa : sp_.to_cfa;
	const bool on_stack = holder_.slot && (!sp_.known || holder_.slot <= sp_.to_cfa);
	Rule rule;
	if ((!sp_.known && !fp_.known) || (!on_stack && !holder_.in_register))
		return rule;
	rule.kind = UW_RULE_FRAME;
	rule.cfa_kind = on_stack ? UW_CFA_MEM : UW_CFA_REG;
	rule.cfa_reg = !on_stack ? holder_reg() : fp_.known ? abi.fp : abi.sp;
	rule.cfa_off = on_stack ? from - holder_.slot : 0;
	rule.ra_place = UW_PLACE_CFA_MEM;
	rule.ra_off = -word_;
	if (saved_fp_.where == Where::on_stack) {
		rule.fp_place = UW_PLACE_REG_MEM;
		rule.fp_reg = fp_.known ? abi.fp : abi.sp;
		rule.fp_off = from - saved_fp_.below_cfa;
	} else if (saved_fp_.where == Where::lost) {
		rule.fp_place = UW_PLACE_LOST;
	}
	if (saved_base_.where != Where::in_register)
		rule.base_slot = UW_BASE_LOST;
	return rule;
}

Rule X86Frame::rule() const
{
	if (rounded_)
		return rounded_rule();
	const uw_abi& abi = uw_abis[static_cast<unsigned>(arch_)];
	Rule rule;
	if ((!sp_.known && !fp_.known) || (sp_.known && sp_.to_cfa < word_))
		return rule;
	rule.kind = UW_RULE_FRAME;
	rule.cfa_reg = sp_.known ? abi.sp : abi.fp;
	rule.cfa_off = sp_.known ? sp_.to_cfa : fp_.to_cfa;
	rule.ra_place = UW_PLACE_CFA_MEM;
	rule.ra_off = -word_;
	if (saved_fp_.where == Where::on_stack) {
		rule.fp_place = UW_PLACE_CFA_MEM;
		rule.fp_off = -saved_fp_.below_cfa;
	} else if (saved_fp_.where == Where::lost) {
		rule.fp_place = UW_PLACE_LOST;
	}
	const Saved& base = saved_base_;
	if (base.where == Where::on_stack && base.below_cfa % word_ == 0 && base.below_cfa / word_ < UW_BASE_LOST)
		rule.base_slot = static_cast<std::uint8_t>(base.below_cfa / word_);
	else if (base.where != Where::in_register)
		rule.base_slot = UW_BASE_LOST;
	return rule;
}

} // namespace uwind
