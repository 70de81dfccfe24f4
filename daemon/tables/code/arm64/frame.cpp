// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm64/frame.h"

#include "tables/code/arm64/registers.h"

namespace uwind {
namespace {

using namespace arm64_registers;

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

std::optional<std::int32_t> Arm64Frame::to_cfa(std::uint32_t reg) const
{
	if (reg == sp && sp_known_)
		return cfa_from_sp_;
	return reg == fp && fp_known_ ? std::optional(cfa_from_fp_) : std::nullopt;
}

void Arm64Frame::set_sp(std::optional<std::int32_t> to_cfa)
{
	reached_out_ |= to_cfa && *to_cfa < 0;
	sp_known_ = to_cfa && *to_cfa >= 0 && *to_cfa <= max_frame_bytes;
	cfa_from_sp_ = sp_known_ ? *to_cfa : 0;
}

void Arm64Frame::set_fp(std::int32_t to_cfa)
{
	fp_known_ = true;
	cfa_from_fp_ = to_cfa;
}

void Arm64Frame::move_sp(std::int32_t bytes)
{
	set_sp(sp_known_ ? std::optional(cfa_from_sp_ - bytes) : std::nullopt);
}

Arm64Frame::Saved* Arm64Frame::saved(std::uint32_t reg)
{
	return reg == fp ? &fp_ : reg == link ? &link_ : nullptr;
}

void Arm64Frame::change(std::uint32_t reg)
{
	if (reg == sp)
		set_sp({});
	if (reg == fp) {
		fp_known_ = false;
		cfa_from_fp_ = 0;
	}
	if (reg == link)
		link_kept_ = false;
	Saved* const place = saved(reg);
	if (place && place->where == Where::in_register)
		place->where = Where::lost;
}

void Arm64Frame::call()
{
	reached_out_ |= keeps_link();
	change(link);
}

void Arm64Frame::reach(std::uint32_t base, std::int32_t offset)
{
	if (base == sp && sp_known_)
		reached_out_ |= offset >= cfa_from_sp_;
	if (base == fp)
		reached_out_ |= !fp_known_ && fp_.where == Where::in_register;
}

std::optional<Arm64Frame::Saved> Arm64Frame::place_of(std::uint32_t base, std::int32_t offset) const
{
	const std::optional<std::int32_t> above = to_cfa(base);
	return above ? std::optional(Saved{Where::on_stack, offset - *above}) : std::nullopt;
}

void Arm64Frame::store(std::uint32_t reg, std::uint32_t base, std::int32_t offset, bool whole)
{
	Saved* const place = saved(reg);
	const auto there = place_of(base, offset);
	if (place && there && whole && place->where == Where::in_register)
		*place = *there;
}

void Arm64Frame::load(std::uint32_t reg, std::uint32_t base, std::int32_t offset, bool whole)
{
	Saved* const place = saved(reg);
	if (!place)
		return;
	const auto there = place_of(base, offset);
	const bool restored = whole && there && *place == *there;
	change(reg);
	if (restored)
		*place = Saved{};
	if (restored && reg == link)
		link_kept_ = true;
}

bool Arm64Frame::join(const Arm64Frame& other)
{
	Arm64Frame same = other;
	same.link_kept_ = link_kept_;
	same.reached_out_ = reached_out_;
	same.constant_ = constant_;
	if (!(same == *this))
		return false;
	link_kept_ = link_kept_ && other.link_kept_;
	reached_out_ = reached_out_ || other.reached_out_;
	if (!(constant_ == other.constant_))
		constant_ = {};
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
