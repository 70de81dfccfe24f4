// SPDX-License-Identifier: GPL-2.0
// Nothing in the code says which calls return. A path that comes to something impossible
// blames the last call on its way, and is followed again without what lies behind it.
#include "tables/code/arm/paths.h"

#include "tables/code/arm/effect.h"

extern "C" {
#include "types.h"
}

#include <algorithm>

namespace uwind {
namespace {

constexpr std::size_t max_steps_per_place = 64; // nothing is read any more behind these
constexpr unsigned max_blamed_calls = 24;       // of one beginning
constexpr unsigned max_jumps = 8;
constexpr unsigned max_steps_to_sum = 24; // from the load of a distance to its addition

bool pushes_link(const ArmInstruction& instruction)
{
	return instruction.action == ArmAction::store && instruction.base == UW_ARM_SP && instruction.moved < 0 &&
	       instruction.registers >> UW_ARM_LR & 1;
}

} // namespace

// Most instructions leave the frame as it is.
std::uint32_t ArmFrameSet::number_of(const ArmFrame& frame)
{
	if (!frames_.empty() && frames_[last_] == frame)
		return last_;
	const auto [place, added] = numbers_.try_emplace(frame, static_cast<std::uint32_t>(frames_.size()));
	if (added)
		frames_.push_back(frame);
	return last_ = place->second;
}

ArmPaths::ArmPaths(Bytes code, std::uint32_t address, const std::vector<std::uint32_t>& no_return)
    : code_(code), address_(address), no_return_elsewhere_(no_return), seen_(places()), thumb_(places()),
      data_(places()), begins_(places()), doubtful_(places()), no_return_(places()), last_calls_(places()),
      frame_of_(places()), via_(places()), steps_left_(places() * max_steps_per_place)
{
}

// Zeros fill what no instruction does.
ArmInstruction ArmPaths::decode(std::size_t at, bool thumb) const
{
	const Bytes rest = code_.subspan(at * 2);
	const std::uint32_t address = address_ + static_cast<std::uint32_t>(at * 2);
	const std::size_t bytes = thumb ? 2 : 4;
	const bool zero =
		rest.size() >= bytes && std::all_of(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(bytes),
						    [](std::uint8_t byte) { return !byte; });
	if (zero || (!thumb && address % 4))
		return ArmInstruction{};
	return decode_arm(rest, address, thumb);
}

std::size_t ArmPaths::place_of(std::uint32_t address) const
{
	const std::uint32_t into = address - address_;
	return into < places() * 2 ? into / 2 : places();
}

void ArmPaths::fail(std::uint32_t via)
{
	if (!wrong_)
		culprit_ = via;
	wrong_ = true;
}

// Two ways to one place. That it was settled stays as it is.
void ArmPaths::meet(std::size_t at, bool thumb, const ArmFrame& frame, std::uint32_t via)
{
	ArmFrame both = frames_[frame_of_[at]];
	const auto nearest = [&] {
		const std::uint32_t other = seen_[at] == tried ? via_[at] : 0;
		return other && (!via || at + 1 - other < at + 1 - via) && other <= at ? other : via;
	};
	if (thumb != thumb_[at] || !both.join(frame))
		return fail(nearest());
	if (seen_[at] == settled) {
		if (!(both.rule() == frames_[frame_of_[at]].rule()))
			fail(via);
		returned_ = ended_ = true;
		prove(Proof::strong);
	} else if (const std::uint32_t number = frames_.number_of(both); number != frame_of_[at]) {
		frame_of_[at] = number;
		pending_.push_back(at);
	}
}

// An instruction that a path comes to.
void ArmPaths::occupy(std::size_t at, bool thumb, const ArmFrame& frame, std::uint32_t via, unsigned halves)
{
	for (unsigned i = 0; i < halves; i++) {
		if (at + i >= places() || seen_[at + i] != unseen || data_[at + i])
			return fail(via);
		seen_[at + i] = i ? tried_inside : tried;
		trail_.push_back(at + i);
	}
	thumb_[at] = thumb;
	frame_of_[at] = frames_.number_of(frame);
	via_[at] = via;
}

void ArmPaths::arrive(std::size_t at, bool thumb, const ArmFrame& frame, std::uint32_t via)
{
	if (at >= places() || data_[at])
		return fail(via);
	if (seen_[at] == settled || seen_[at] == tried)
		return meet(at, thumb, frame, via);
	const ArmInstruction instruction = decode(at, thumb);
	if (!instruction.bytes && via)
		return fail(via);
	occupy(at, thumb, frame, via, std::max(instruction.bytes / 2, 1u));
	if (!wrong_)
		pending_.push_back(at);
}

// A jump may lead to another function, which begins with its caller's frame.
void ArmPaths::go_to(const Step& step, const ArmFrame& frame, std::uint32_t via)
{
	const ArmInstruction& instruction = step.instruction;
	const std::size_t at = place_of(instruction.target);
	if (at < places() && !begins_[at]) {
		ended_ |= at <= step.at && seen_[at] == tried; // a loop
		return arrive(at, instruction.target_thumb, frame, via);
	}
	if (!frame.is_whole())
		return fail(via);
	ended_ = true;
	prove(at < places() && seen_[at] == settled ? Proof::strong : Proof::leaves);
	returned_ |= !calls_no_return(instruction);
}

void ArmPaths::fall_to(std::size_t at, bool thumb, const ArmFrame& frame, std::uint32_t via)
{
	if (at < places() && !begins_[at])
		return arrive(at, thumb, frame, via);
	const bool behind_call = via == at || via + 1 == at;
	ended_ = true;
	if (behind_call)
		return;
	if (at >= places() || !frame.is_whole())
		return fail(via);
	returned_ = true;
}

bool ArmPaths::calls_no_return(const ArmInstruction& instruction) const
{
	if (!instruction.has_target)
		return false;
	const std::size_t at = place_of(instruction.target);
	if (at < places())
		return no_return_[at];
	return std::binary_search(no_return_elsewhere_.begin(), no_return_elsewhere_.end(), instruction.target);
}

void ArmPaths::note_data(std::uint32_t address, std::size_t bytes)
{
	for (std::size_t i = 0; i < bytes; i += 2)
		if (const std::size_t at = place_of(address + static_cast<std::uint32_t>(i)); at < places())
			tried_data_.push_back(at);
}

// The instructions that a path ran through before it came to a place, the last one first.
std::vector<ArmInstruction> ArmPaths::before(std::size_t at) const
{
	std::vector<ArmInstruction> result;
	while (at >= 2 && result.size() < max_jump_table_steps) {
		at -= seen_[at - 1] == tried_inside ? 2 : 1;
		if (seen_[at] != tried)
			break;
		result.push_back(decode(at, thumb_[at]));
	}
	return result;
}

// The table ends where the first of its targets begins, at the latest.
void ArmPaths::pass_table(const ArmJumpTable& table, const ArmFrame& frame, std::uint32_t via)
{
	const std::uint32_t start = table.start - address_;
	std::uint64_t end = code_.size(), entry = start;
	for (std::size_t i = 0; i < table.entries && entry + table.entry_bytes <= end; i++) {
		const std::uint32_t target = table.target(code_.subspan(entry), i) - address_;
		entry += table.entry_bytes;
		if (target >= start && target < entry && !table.is_code())
			break;
		if (target > start)
			end = std::min<std::uint64_t>(end, table.is_code() ? end : target & ~1u);
		const std::size_t place = place_of(address_ + target);
		if (place >= places() || begins_[place])
			break;
		arrive(place, table.thumb, frame, via);
	}
	if (!table.is_code() && start < code_.size())
		note_data(table.start, static_cast<std::size_t>((entry - start + 1) & ~std::uint64_t{1}));
}

// False: it is a return.
bool ArmPaths::pass_computed_jump(const Step& step, const ArmFrame& frame, std::uint32_t via)
{
	if (jumps_back(step.instruction, frame))
		return false;
	returned_ = ended_ = true;
	if (const auto table = find_jump_table(step.instruction, before(step.at),
					       address_ + static_cast<std::uint32_t>(step.at * 2), thumb_[step.at])) {
		pass_table(*table, frame, via);
		return true;
	}
	const std::uint32_t number = frames_.number_of(frame.at_jump());
	const auto is_known = [&](const std::vector<std::uint32_t>& jumps) {
		return std::find(jumps.begin(), jumps.end(), number) != jumps.end();
	};
	if (is_known(known_jumps_))
		prove(Proof::strong);
	else if (frame.is_whole())
		prove(Proof::leaves);
	if (jumps_.size() <= max_jumps && !is_known(jumps_))
		jumps_.push_back(number);
	return true;
}

// Beyond the limit there is one too many, which says so.
void ArmPaths::note_landing(const ArmInstruction& call, const ArmFrame& frame)
{
	ArmFrame behind = frame;
	execute(call, behind);
	if (!behind.has_saved_link() || landings_.size() > max_jumps)
		return;
	const std::uint32_t number = frames_.number_of(behind.at_jump());
	if (std::find(landings_.begin(), landings_.end(), number) == landings_.end())
		landings_.push_back(number);
}

// False: the path ends here.
bool ArmPaths::pass(const Step& step, ArmFrame& frame, std::uint32_t& via)
{
	const ArmInstruction& instruction = step.instruction;
	if (pushes_link(instruction) && frame.has_lost_link()) {
		fail(via);
		return false;
	}
	if (instruction.literal_bytes)
		note_data(instruction.literal, instruction.literal_bytes);
	switch (instruction.flow) {
	case ArmFlow::next:
		break;
	case ArmFlow::jump:
		go_to(step, frame, via);
		return false;
	case ArmFlow::call:
		note_landing(instruction, frame);
		if (instruction.has_target)
			calls_.push_back({address_ + static_cast<std::uint32_t>(step.at * 2), instruction.target,
					  instruction.target_thumb});
		if (calls_no_return(instruction) && frame.has_saved_link())
			prove(Proof::leaves);
		if (last_calls_[step.at] || calls_no_return(instruction)) {
			ended_ = true;
			return false;
		}
		via = static_cast<std::uint32_t>(step.at + 1);
		break;
	case ArmFlow::computed_jump:
	case ArmFlow::leave:
		if ((instruction.flow == ArmFlow::computed_jump || jumps_through_computed_link(instruction, frame)) &&
		    pass_computed_jump(step, frame, via))
			return false;
		returned_ = ended_ = true;
		prove(Proof::strong);
		if (returns_wrongly(instruction, frame))
			fail(via);
		return false;
	case ArmFlow::stop:
		ended_ = true;
		return false;
	}
	execute(instruction, frame);
	if (frame.is_impossible())
		fail(via);
	return !wrong_;
}

void ArmPaths::step(std::size_t at)
{
	const bool thumb = thumb_[at];
	const ArmInstruction instruction = decode(at, thumb);
	if (!instruction.bytes)
		return;
	std::size_t next = at + instruction.bytes / 2;
	if (instruction.block || instruction.is_conditional()) {
		const std::vector<Step> steps = block_at(at, instruction, next);
		return steps.empty() ? fail(via_[at]) : step_block(at, steps, next);
	}
	ArmFrame frame = frames_[frame_of_[at]];
	std::uint32_t via = via_[at];
	if (pass({at, instruction, false}, frame, via))
		fall_to(next, thumb, frame, via);
}

// Data that the code loads was not to be run through.
void ArmPaths::check_data()
{
	for (const std::size_t at : tried_data_)
		if (seen_[at] == tried || seen_[at] == tried_inside)
			return fail(via_[seen_[at] == tried ? at : at - 1]);
		else if (seen_[at] != unseen)
			return fail(0);
}

bool ArmPaths::follow_once(std::size_t at, bool thumb, const ArmFrame& frame)
{
	wrong_ = returned_ = ended_ = false;
	proof_ = Proof::none;
	culprit_ = 0;
	trail_.clear();
	pending_.clear();
	tried_data_.clear();
	calls_.clear();
	jumps_.clear();
	landings_.clear();
	arrive(at, thumb, frame, 0);
	while (!pending_.empty() && !wrong_) {
		if (!steps_left_)
			fail(0);
		else
			steps_left_--;
		const std::size_t next = pending_.back();
		pending_.pop_back();
		step(next);
	}
	if (!wrong_)
		check_data();
	return !wrong_;
}

bool ArmPaths::follow(std::size_t at, bool thumb, const ArmFrame& frame, Proof needed, bool blames)
{
	std::vector<std::uint32_t> blamed;
	bool good = follow_once(at, thumb, frame);
	while (!good && blames && culprit_ && !last_calls_[culprit_ - 1] && blamed.size() < max_blamed_calls) {
		blamed.push_back(culprit_ - 1);
		last_calls_[culprit_ - 1] = true;
		forget();
		good = follow_once(at, thumb, frame);
	}
	if (good && ended_ && proof_ >= needed)
		return true;
	for (const std::uint32_t call : blamed)
		last_calls_[call] = false;
	return false;
}

std::vector<ArmCall> ArmPaths::calls_from(std::size_t at, bool thumb)
{
	follow_once(at, thumb, ArmFrame());
	forget();
	std::vector<ArmCall> result;
	std::sort(tried_data_.begin(), tried_data_.end());
	for (const ArmCall& call : calls_)
		if (!std::binary_search(tried_data_.begin(), tried_data_.end(), place_of(call.from)))
			result.push_back(call);
	return result;
}

void ArmPaths::forget()
{
	for (const std::size_t at : trail_)
		seen_[at] = unseen;
	trail_.clear();
}

void ArmPaths::forget_and_doubt()
{
	for (const std::size_t at : trail_)
		doubtful_[at] = true;
	forget();
}

void ArmPaths::note_pointer(std::uint32_t value)
{
	if (place_of(value) < places())
		pointers_.push_back(value);
}

// A word that is loaded may be a function's address, or the distance of one from where it
// is added to PC.
void ArmPaths::note_pointers(std::size_t at)
{
	const ArmInstruction load = decode(at, thumb_[at]);
	const std::size_t word = load.literal_bytes == 4 ? place_of(load.literal) : places();
	if (word + 1 >= places() || load.action != ArmAction::none)
		return;
	const std::uint32_t value = ByteCursor(code_, word * 2).u32();
	std::size_t next = at + load.bytes / 2;
	for (unsigned i = 0; i < max_steps_to_sum && next < places() && thumb_[next] == thumb_[at]; i++) {
		const ArmInstruction sum = decode(next, thumb_[at]);
		const std::uint32_t pc = address_ + static_cast<std::uint32_t>(next * 2) + (thumb_[at] ? 4 : 8);
		const std::uint8_t other = sum.base == UW_ARM_PC ? sum.index : sum.base;
		if (sum.indexed == ArmIndexed::sum && (sum.base == UW_ARM_PC || sum.index == UW_ARM_PC) &&
		    load.writes >> other & 1)
			return note_pointer(value + pc);
		if (!sum.bytes || sum.writes & load.writes)
			return;
		next += sum.bytes / 2;
	}
}

void ArmPaths::settle()
{
	pointers_.clear();
	for (const std::size_t at : trail_)
		if (seen_[at] == tried)
			note_pointers(at);
	for (const std::size_t at : trail_)
		seen_[at] = seen_[at] == tried ? settled : settled_inside;
	for (const std::size_t at : tried_data_)
		data_[at] = true;
}

} // namespace uwind
