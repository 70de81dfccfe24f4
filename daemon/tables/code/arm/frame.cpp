// SPDX-License-Identifier: GPL-2.0
// What a call preserves: AAPCS32, 6.1.1.
#include "tables/code/arm/frame.h"

#include <bit>

#include "tables/code/arm/registers.h"

namespace uwind {
namespace {

using namespace arm_registers;

constexpr std::int64_t max_frame_bytes = 1 << 24;
constexpr std::uint16_t scratch = 0xf | 1 << 12 | 1 << lr;

} // namespace

ArmFrame::ArmFrame()
{
	set_base(sp, 0);
}

ArmFrame ArmFrame::unknown()
{
	ArmFrame frame;
	frame.change(1 << sp | 1 << fp | 1 << r7 | 1 << lr);
	return frame;
}

std::uint16_t ArmFrame::described() const
{
	std::uint16_t mask = based_;
	for (const Saved* saved : {&link_, &fp_, &base_})
		mask |= saved->copy == no_copy ? 0 : 1u << saved->copy;
	mask |= link_.kept || !link_computed_ ? 1u << lr : 0;
	mask |= fp_.kept ? 1u << fp : 0;
	return mask | (base_.kept ? 1u << r7 : 0);
}

void ArmFrame::change(std::uint16_t numbers)
{
	for (unsigned left = based_ & numbers; left; left &= left - 1)
		to_cfa_[static_cast<unsigned>(std::countr_zero(left))] = 0;
	based_ &= ~numbers;
	for (Saved* saved : {&link_, &fp_, &base_})
		if (saved->copy != no_copy && has(numbers, saved->copy))
			saved->copy = no_copy;
	link_.kept = link_.kept && !has(numbers, lr);
	link_computed_ = link_computed_ || has(numbers, lr);
	fp_.kept = fp_.kept && !has(numbers, fp);
	base_.kept = base_.kept && !has(numbers, r7);
}

void ArmFrame::Saved::forget_stored()
{
	stored = false;
	below_cfa = 0;
}

void ArmFrame::set_base(std::uint8_t number, std::int64_t to_cfa)
{
	if (to_cfa < -max_frame_bytes || to_cfa > max_frame_bytes)
		return change(mask_of(number));
	based_ |= 1u << number;
	to_cfa_[number] = static_cast<std::int32_t>(to_cfa);
	if (number != sp)
		return;
	for (Saved* saved : {&link_, &fp_, &base_})
		if (saved->stored && saved->below_cfa > to_cfa)
			saved->forget_stored();
}

void ArmFrame::copy(std::uint8_t to, std::uint8_t from)
{
	Saved* const saved[] = {&link_, &fp_, &base_};
	const std::uint8_t home[] = {lr, fp, r7};
	bool holds[3];
	for (unsigned i = 0; i < 3; i++)
		holds[i] = saved[i]->holds(from, home[i]);
	change(mask_of(to));
	for (unsigned i = 0; i < 3; i++) {
		if (holds[i] && home[i] == to)
			saved[i]->kept = true;
		else if (holds[i])
			saved[i]->copy = to;
	}
}

void ArmFrame::store(std::uint8_t number, std::int64_t below_cfa)
{
	const auto save = [&](Saved& saved, std::uint8_t home) {
		if (saved.stored && saved.below_cfa == below_cfa && number != home) // overwritten
			saved.forget_stored();
		if (!saved.holds(number, home) || saved.stored || below_cfa <= 0 || below_cfa > max_frame_bytes)
			return;
		saved.stored = true;
		saved.below_cfa = static_cast<std::int32_t>(below_cfa);
	};
	save(link_, lr);
	save(fp_, fp);
	save(base_, r7);
}

void ArmFrame::load(std::uint8_t number, std::int64_t below_cfa)
{
	const auto is_there = [&](const Saved& saved) { return saved.stored && saved.below_cfa == below_cfa; };
	const auto restore = [&](Saved& saved, bool there, std::uint8_t home) {
		if (there && number == home)
			saved.kept = true;
		else if (there)
			saved.copy = number;
	};
	const bool link = is_there(link_), frame = is_there(fp_), base = is_there(base_);
	if (number == pc)
		return;
	change(mask_of(number));
	restore(link_, link, lr);
	restore(fp_, frame, fp);
	restore(base_, base, r7);
}

void ArmFrame::call()
{
	change(scratch);
	link_computed_ = false;
}

bool ArmFrame::holds_link(std::uint8_t number) const
{
	return number == lr ? link_.kept : link_.copy == number;
}

bool ArmFrame::is_given_back() const
{
	return has(based_, sp) && !to_cfa_[sp] && fp_.kept && base_.kept;
}

bool ArmFrame::is_whole() const
{
	return is_given_back() && link_.kept;
}

void ArmFrame::Saved::join(const Saved& other)
{
	kept = kept && other.kept;
	if (copy != other.copy)
		copy = no_copy;
	if (!stored || !other.stored || below_cfa != other.below_cfa)
		forget_stored();
}

bool ArmFrame::join(const ArmFrame& other)
{
	const bool known = best_base() != pc && other.best_base() != pc,
		   had_link = !link_.is_lost() && !other.link_.is_lost();
	for (unsigned left = based_; left; left &= left - 1) {
		const auto number = static_cast<unsigned>(std::countr_zero(left));
		if (to_cfa_[number] != other.to_cfa_[number] || !has(other.based_, number)) {
			based_ &= ~(1u << number);
			to_cfa_[number] = 0;
		}
	}
	link_.join(other.link_);
	fp_.join(other.fp_);
	base_.join(other.base_);
	link_computed_ = link_computed_ && other.link_computed_;
	return (best_base() != pc || !known) && (!link_.is_lost() || !had_link);
}

ArmFrame ArmFrame::at_jump() const
{
	ArmFrame frame = *this;
	frame.change(static_cast<std::uint16_t>(~mask_of(best_base())));
	for (Saved* saved : {&frame.link_, &frame.fp_, &frame.base_})
		saved->copy = no_copy;
	frame.link_.kept = link_.kept && !link_.stored;
	frame.fp_.kept = fp_.kept && !fp_.stored;
	frame.base_.kept = base_.kept && !base_.stored;
	frame.link_computed_ = false;
	return frame;
}

std::uint8_t ArmFrame::best_base() const
{
	for (const std::uint8_t number : {sp, r7, fp})
		if (has(based_, number))
			return number;
	return pc;
}

Rule arm_rule_of_pushed(std::int32_t words)
{
	constexpr std::int32_t word = 4;
	Rule rule;
	rule.kind = UW_RULE_FRAME;
	rule.cfa_reg = UW_ARM_SP;
	rule.cfa_off = words * word;
	rule.ra_place = words ? UW_PLACE_CFA_MEM : UW_PLACE_SAME;
	rule.ra_off = words ? -word : 0;
	return rule;
}

Rule ArmFrame::rule() const
{
	const std::uint8_t base = best_base();
	Rule rule;
	if (base == pc || link_.is_lost() || (base == sp && to_cfa_[sp] < 0))
		return rule;
	rule.kind = UW_RULE_FRAME;
	rule.cfa_reg = base;
	rule.cfa_off = to_cfa_[base];
	if (link_.stored) {
		rule.ra_place = UW_PLACE_CFA_MEM;
		rule.ra_off = -link_.below_cfa;
	}
	if (fp_.stored) {
		rule.fp_place = UW_PLACE_CFA_MEM;
		rule.fp_off = -fp_.below_cfa;
	} else if (!fp_.kept) {
		rule.fp_place = UW_PLACE_LOST;
	}
	if (base_.stored && base_.below_cfa % 4 == 0 && base_.below_cfa / 4 < UW_BASE_LOST)
		rule.base_slot = static_cast<std::uint8_t>(base_.below_cfa / 4);
	else if (!base_.kept)
		rule.base_slot = UW_BASE_LOST;
	return rule;
}

std::size_t ArmFrame::hash() const
{
	std::size_t result = based_;
	const auto mix = [&](std::size_t value) { result = (result ^ value) * 0x9e3779b97f4a7c15u; };
	for (unsigned left = based_; left; left &= left - 1)
		mix(static_cast<std::uint32_t>(to_cfa_[static_cast<unsigned>(std::countr_zero(left))]));
	for (const Saved* saved : {&link_, &fp_, &base_})
		mix(static_cast<std::size_t>(saved->below_cfa) << 16 | saved->copy << 8 | saved->kept << 1 |
		    saved->stored);
	return result ^ result >> 32;
}

} // namespace uwind
