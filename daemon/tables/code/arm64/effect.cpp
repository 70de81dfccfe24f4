// SPDX-License-Identifier: GPL-2.0
// An integer instruction that writes SP, X29 or X30 is either understood or makes that
// register unknown.
#include "tables/code/arm64/effect.h"

#include "tables/code/arm64/registers.h"
#include "tables/isa/arm64/instruction.h"

namespace uwind {
namespace {

using namespace arm64_registers;

constexpr std::uint64_t max_constant = 1 << 24; // bytes of a frame

void transfer(const Arm64Access& access, std::uint8_t reg, std::int32_t offset, Arm64Frame& frame)
{
	const bool whole = access.whole && access.known_offset;
	if (access.load)
		frame.load(reg, access.base, offset, whole);
	else
		frame.store(reg, access.base, offset, whole);
}

void execute_access(const Arm64Access& access, Arm64Frame& frame)
{
	if (access.base == sp && access.moved_before)
		frame.move_sp(access.moved_before);
	if (access.known_offset)
		frame.reach(access.base, access.offset);
	if (!access.vector) {
		transfer(access, access.first, access.offset, frame);
		if (access.second != access.first)
			transfer(access, access.second, access.offset + access.bytes, frame);
	}
	if (access.base == sp && access.moved_after)
		frame.move_sp(access.moved_after);
	if (access.base != sp && (access.moved_before || access.moved_after))
		frame.change(access.base);
}

void execute_sum(const Arm64Sum& sum, Arm64Frame& frame)
{
	if (sum.sets_flags && sum.to == sp)
		return; // cmp
	if (sum.to == sp && sum.from == sp && sum.whole)
		return frame.move_sp(sum.value);
	const std::optional<std::int32_t> from = frame.to_cfa(sum.from);
	if (sum.to == sp && sum.from == fp && sum.whole && from)
		return frame.set_sp(*from - sum.value);
	frame.change(sum.to);
	if (sum.to == fp && sum.from == sp && sum.whole && from && !sum.sets_flags)
		frame.set_fp(*from - sum.value);
}

// Only what is understood keeps it.
void learn_constant(std::uint32_t word, Arm64Frame& frame)
{
	const Arm64Frame::Constant known = frame.constant();
	const auto part = part_arm64(word);
	if (part && (!part->kept || part->to == known.reg))
		return frame.set_constant({part->to, (known.value & part->kept) | part->value});
	const auto used = access_arm64(word);
	const auto sum = sum_arm64(word);
	const auto written = written_arm64(word);
	const auto is_constant = [&](std::uint8_t reg) { return reg == known.reg; };
	const bool understood = used || sum || written || shift_arm64(word) || is_hint_arm64(word);
	const bool changed =
		(used && (is_constant(used->first) || is_constant(used->second) || is_constant(used->base))) ||
		(sum && is_constant(sum->to)) || (written && is_constant(*written));
	if (!understood || changed)
		frame.set_constant({});
}

} // namespace

void execute(std::uint32_t word, Arm64Frame& frame)
{
	const auto shift = shift_arm64(word);
	const Arm64Frame::Constant constant = frame.constant();
	if (shift && shift->by == constant.reg && constant.value <= max_constant) {
		const auto bytes = static_cast<std::int32_t>(constant.value);
		return frame.move_sp(shift->down ? -bytes : bytes);
	}
	learn_constant(word, frame);
	if (flow_arm64(word).way == Arm64Way::call)
		return frame.call();
	if (const auto access = access_arm64(word))
		return execute_access(*access, frame);
	if (const auto sum = sum_arm64(word))
		return execute_sum(*sum, frame);
	if (const auto written = written_arm64(word))
		frame.change(*written);
}

bool begins_function(std::uint32_t word, const Arm64Frame& frame)
{
	const auto used = access_arm64(word);
	const bool pushes = used && !used->load && !used->vector && used->whole && used->moved_before < 0 &&
			    used->base == sp && used->first == fp && used->second == link;
	return (pushes || signs_arm64(word)) && !frame.keeps_link();
}

} // namespace uwind
