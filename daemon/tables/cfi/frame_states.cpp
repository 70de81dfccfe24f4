// SPDX-License-Identifier: GPL-2.0
#include "tables/cfi/frame_states.h"

#include <algorithm>
#include <bit>

namespace uwind {
namespace {

constexpr std::size_t min_steps = 64, max_steps = 16384;
constexpr std::size_t section_bytes_per_step = 32;
// Anyone who writes a section can make states collide: then a state gets one more number.
constexpr unsigned max_probes = 16;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15;
	return hash ^ (hash >> 32);
}

std::uint64_t mixed(std::uint64_t hash, const Symbolic& how)
{
	return mixed(mixed(hash, static_cast<std::uint64_t>(how.offset)),
		     std::uint64_t{how.base} << 8 | static_cast<std::uint64_t>(how.form));
}

std::uint64_t hash_of(const FrameState& state, std::uint32_t kind)
{
	std::uint64_t hash = mixed(mixed(kind, state.cfa), static_cast<std::uint64_t>(state.cfa_offset));
	for (const SavedRegister* saved : {&state.ra, &state.fp, &state.sp, &state.base})
		hash = mixed(mixed(hash, saved->how), static_cast<std::uint64_t>(saved->saved));
	return hash;
}

} // namespace

FrameStates::FrameStates(std::size_t bytes)
    : slots_(2 * max_states), steps_(std::bit_ceil(std::clamp(bytes / section_bytes_per_step, min_steps, max_steps))),
      step_shift_(64 - static_cast<unsigned>(std::countr_zero(steps_.size())))
{
}

FrameNumber FrameStates::number_of(const FrameState& state, std::uint32_t kind)
{
	const std::size_t mask = slots_.size() - 1;
	std::size_t slot = hash_of(state, kind) & mask;
	for (unsigned probes = 0; probes < max_probes && slots_[slot]; probes++, slot = (slot + 1) & mask) {
		const Known& known = known_[slots_[slot] - 1];
		if (known.kind == kind && known.state == state)
			return slots_[slot] - 1;
	}
	known_.push_back({state, kind});
	const auto number = static_cast<FrameNumber>(known_.size() - 1);
	if (!slots_[slot])
		slots_[slot] = number + 1;
	return number;
}

void FrameStates::clear()
{
	known_.clear();
	std::fill(slots_.begin(), slots_.end(), 0);
	std::fill(steps_.begin(), steps_.end(), Step{});
}

void FrameStates::note_step(FrameNumber before, std::uint32_t next, std::uint64_t bytes, FrameNumber after)
{
	if (bytes <= sizeof(next))
		steps_[slot_of(before, next)] = {before, after, next, static_cast<std::uint8_t>(bytes),
						 static_cast<std::uint8_t>(32 - 8 * bytes)};
}

} // namespace uwind
