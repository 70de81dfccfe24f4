// SPDX-License-Identifier: GPL-2.0
// An instruction that writes SP, r7, r11 or LR is either understood or makes that
// register unknown. What a call preserves: AAPCS32, 6.1.1.
#include "tables/code/arm/frame.h"

extern "C" {
#include "types.h"
}

#include <bit>

namespace uwind {
namespace {

constexpr std::uint8_t sp = UW_ARM_SP, lr = UW_ARM_LR, pc = UW_ARM_PC, fp = UW_ARM_FP, r7 = UW_ARM_R7;
constexpr std::int64_t max_frame_bytes = 1 << 24;
constexpr std::uint8_t scratch[] = {0, 1, 2, 3, 12, lr};

constexpr bool has(std::uint16_t mask, unsigned number)
{
	return mask >> number & 1;
}

} // namespace

ArmFrame::ArmFrame()
{
	set_base(sp, 0);
}

ArmFrame ArmFrame::unknown()
{
	ArmFrame frame;
	for (const std::uint8_t number : {sp, fp, r7, lr})
		frame.change(number);
	return frame;
}

// A register gets another value.
void ArmFrame::change(std::uint8_t number)
{
	based_ &= ~(1u << number);
	cfa_from_[number] = 0;
	for (Saved* saved : {&link_, &fp_, &base_})
		if (saved->copy == number)
			saved->copy = no_copy;
	if (number == lr) {
		link_.kept = false;
		link_computed_ = true;
	}
	if (number == fp)
		fp_.kept = false;
	if (number == r7)
		base_.kept = false;
}

// CFA = register + offset. What lies below SP is not saved any more.
void ArmFrame::set_base(std::uint8_t number, std::int64_t cfa_offset)
{
	if (cfa_offset < -max_frame_bytes || cfa_offset > max_frame_bytes)
		return change(number);
	based_ |= 1u << number;
	cfa_from_[number] = static_cast<std::int32_t>(cfa_offset);
	if (number != sp)
		return;
	for (Saved* saved : {&link_, &fp_, &base_})
		if (saved->stored && saved->below_cfa > cfa_offset) {
			saved->stored = false;
			saved->below_cfa = 0;
		}
}

void ArmFrame::copy(std::uint8_t to, std::uint8_t from)
{
	Saved* const saved[] = {&link_, &fp_, &base_};
	const std::uint8_t home[] = {lr, fp, r7};
	bool holds[3];
	for (unsigned i = 0; i < 3; i++)
		holds[i] = (saved[i]->kept && home[i] == from) || saved[i]->copy == from;
	change(to);
	for (unsigned i = 0; i < 3; i++) {
		if (holds[i] && home[i] == to)
			saved[i]->kept = true;
		else if (holds[i])
			saved[i]->copy = to;
	}
}

void ArmFrame::add(const ArmInstruction& instruction)
{
	const bool known = has(based_, instruction.base);
	const std::int64_t cfa_offset = std::int64_t{cfa_from_[instruction.base]} - instruction.offset;
	if (instruction.to == instruction.base && !instruction.offset)
		return;
	if (!known && !instruction.offset)
		return copy(instruction.to, instruction.base);
	if (instruction.to != sp || !known)
		change(instruction.to);
	if (known)
		set_base(instruction.to, cfa_offset);
}

void ArmFrame::store_register(std::uint8_t number, std::int64_t below_cfa)
{
	const auto save = [&](Saved& saved, std::uint8_t home) {
		if (saved.stored && saved.below_cfa == below_cfa && number != home) { // overwritten
			saved.stored = false;
			saved.below_cfa = 0;
		}
		const bool holds = (number == home && saved.kept) || saved.copy == number;
		if (!holds || saved.stored || below_cfa <= 0 || below_cfa > max_frame_bytes)
			return;
		saved.stored = true;
		saved.below_cfa = static_cast<std::int32_t>(below_cfa);
	};
	save(link_, lr);
	save(fp_, fp);
	save(base_, r7);
}

void ArmFrame::load_register(std::uint8_t number, std::int64_t below_cfa)
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
	change(number);
	restore(link_, link, lr);
	restore(fp_, frame, fp);
	restore(base_, base, r7);
}

void ArmFrame::move_base(const ArmInstruction& instruction)
{
	if (!instruction.moved)
		return;
	const std::int64_t cfa_offset = std::int64_t{cfa_from_[instruction.base]} - instruction.moved;
	const bool known = has(based_, instruction.base);
	if (!known || instruction.base != sp)
		change(instruction.base);
	if (known)
		set_base(instruction.base, cfa_offset);
}

void ArmFrame::store(const ArmInstruction& instruction)
{
	std::int64_t below_cfa = std::int64_t{cfa_from_[instruction.base]} - instruction.offset;
	const bool known = has(based_, instruction.base);
	move_base(instruction);
	for (std::uint8_t number = 0; known && number < nr_regs; number++) {
		if (!has(instruction.registers, number))
			continue;
		store_register(number, below_cfa);
		below_cfa -= 4;
	}
}

void ArmFrame::load(const ArmInstruction& instruction)
{
	std::int64_t below_cfa = std::int64_t{cfa_from_[instruction.base]} - instruction.offset;
	const bool known = has(based_, instruction.base);
	for (std::uint8_t number = 0; number < nr_regs; number++) {
		if (!has(instruction.registers, number))
			continue;
		if (known)
			load_register(number, below_cfa);
		else
			change(number);
		below_cfa -= 4;
	}
	move_base(instruction);
}

void ArmFrame::call()
{
	for (const std::uint8_t number : scratch)
		change(number);
	link_computed_ = false;
}

void ArmFrame::execute(const ArmInstruction& instruction)
{
	switch (instruction.action) {
	case ArmAction::add:
		add(instruction);
		break;
	case ArmAction::load:
		load(instruction);
		break;
	case ArmAction::store:
		store(instruction);
		break;
	case ArmAction::none:
		break;
	}
	for (std::uint8_t number = 0; number < nr_regs; number++)
		if (has(instruction.writes, number))
			change(number);
	if (instruction.flow == ArmFlow::call)
		call();
}

bool ArmFrame::is_impossible() const
{
	return has(based_, sp) && cfa_from_[sp] < 0;
}

bool ArmFrame::is_whole() const
{
	return has(based_, sp) && !cfa_from_[sp] && link_.kept && fp_.kept && base_.kept;
}

bool ArmFrame::jumps_back(const ArmInstruction& instruction) const
{
	if (instruction.through != pc)
		return instruction.through == lr ? link_.kept : link_.copy == instruction.through;
	std::int64_t at = std::int64_t{cfa_from_[instruction.base]} - instruction.offset;
	at -= 4 * (std::popcount(instruction.registers) - 1);
	return instruction.action == ArmAction::load && has(instruction.registers, pc) &&
	       has(based_, instruction.base) && link_.stored && link_.below_cfa == at;
}

bool ArmFrame::computed_link(const ArmInstruction& instruction) const
{
	return instruction.through == lr && !link_.kept && link_computed_;
}

bool ArmFrame::returns_wrongly(const ArmInstruction& instruction) const
{
	ArmFrame after = *this;
	after.execute(instruction);
	return !jumps_back(instruction) || !has(after.based_, sp) || after.cfa_from_[sp] || !after.fp_.kept ||
	       !after.base_.kept;
}

void ArmFrame::join_saved(Saved& saved, const Saved& other)
{
	saved.kept = saved.kept && other.kept;
	if (saved.copy != other.copy)
		saved.copy = no_copy;
	if (saved.stored && other.stored && saved.below_cfa == other.below_cfa)
		return;
	saved.stored = false;
	saved.below_cfa = 0;
}

bool ArmFrame::knows_base() const
{
	return has(based_, sp) || has(based_, r7) || has(based_, fp);
}

bool ArmFrame::join(const ArmFrame& other)
{
	const bool known = knows_base() && other.knows_base(), had_link = !link_.is_lost() && !other.link_.is_lost();
	for (std::uint8_t number = 0; number < nr_regs; number++)
		if (cfa_from_[number] != other.cfa_from_[number] || !has(other.based_, number)) {
			based_ &= ~(1u << number);
			cfa_from_[number] = 0;
		}
	join_saved(link_, other.link_);
	join_saved(fp_, other.fp_);
	join_saved(base_, other.base_);
	link_computed_ = link_computed_ && other.link_computed_;
	return (knows_base() || !known) && (!link_.is_lost() || !had_link);
}

ArmFrame ArmFrame::at_jump() const
{
	ArmFrame frame = *this;
	const std::uint8_t base = best_base();
	for (std::uint8_t number = 0; number < nr_regs; number++)
		if (number != base)
			frame.change(number);
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
	if (base == pc || link_.is_lost() || (base == sp && cfa_from_[sp] < 0))
		return rule;
	rule.kind = UW_RULE_FRAME;
	rule.cfa_reg = base;
	rule.cfa_off = cfa_from_[base];
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
	for (const std::int32_t offset : cfa_from_)
		mix(static_cast<std::uint32_t>(offset));
	for (const Saved* saved : {&link_, &fp_, &base_})
		mix(static_cast<std::size_t>(saved->below_cfa) << 16 | saved->copy << 8 | saved->kept << 1 |
		    saved->stored);
	return result ^ result >> 32;
}

} // namespace uwind
