// SPDX-License-Identifier: GPL-2.0
// Nothing in the code says which calls return. A path that comes to something impossible
// blames the last call on its way, and is followed again without what lies after it.
#include "tables/code/arm/paths.h"

#include "tables/code/arm/effect.h"

extern "C" {
#include "types.h"
}

#include <algorithm>
#include <utility>

namespace uwind {
namespace {

constexpr std::size_t max_steps_per_place = 64; // after these nothing is read any more
constexpr unsigned max_blamed_calls = 24;       // of one beginning

// It leads to the next instruction alone, whatever the frame, and always; or it is a call.
bool is_plain(const ArmInstruction& instruction)
{
	return (instruction.flow == ArmFlow::next || instruction.flow == ArmFlow::call) &&
	       !instruction.is_conditional() && !instruction.block && instruction.bytes && !pushes_link(instruction);
}

bool has(const std::vector<ArmFrameNumber>& numbers, ArmFrameNumber number)
{
	return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

// The instructions that a path ran through before it came to a place, the last one first.
std::vector<ArmInstruction> instructions_before(std::size_t at, const ArmText& text, const ArmProof& proof)
{
	std::vector<ArmInstruction> result;
	while (at >= 2 && result.size() < max_jump_table_steps) {
		at -= proof.places().is_inside_tried(at - 1) ? 2 : 1;
		if (!proof.places().is_tried(at))
			break;
		result.push_back(text.decode(at, proof.places().is_thumb(at)));
	}
	return result;
}

} // namespace

ArmPaths::ArmPaths(const ArmText& text, ArmProof& proof, const std::vector<std::uint32_t>& no_return)
    : text_(text), proof_(proof), last_calls_(text, no_return), steps_left_(text.places() * max_steps_per_place)
{
}

void ArmPaths::note_exit(std::size_t at)
{
	if (at < text_.places())
		findings_.exits.push_back({at, proof_.places().begins(at), proof_.places().is_settled(at)});
}

void ArmPaths::arrive(std::size_t at, bool thumb, ArmFrameNumber frame, std::uint32_t via)
{
	if (proof_.arrive(at, thumb, frame, via))
		pending_.push_back(at);
	else if (proof_.verdict().wrong)
		note_exit(at);
}

// A jump may lead to another function, which begins with its caller's frame.
void ArmPaths::go_to(std::size_t from, const ArmInstruction& jump, ArmFrameNumber frame, std::uint32_t via)
{
	ArmVerdict& verdict = proof_.verdict();
	const std::size_t at = text_.place_of(jump.target);
	if (at < text_.places() && !proof_.places().begins(at)) {
		verdict.ended |= at <= from && proof_.places().is_tried(at); // a loop
		return arrive(at, jump.target_thumb, frame, via);
	}
	note_exit(at);
	if (!proof_.frames()[frame].is_whole())
		return verdict.fail(via);
	verdict.ended = true;
	verdict.show(at < text_.places() && proof_.places().is_settled(at) ? ArmEvidence::strong : ArmEvidence::leaves);
	verdict.returned |= !last_calls_.never_returns(jump);
}

void ArmPaths::fall_to(std::size_t at, bool thumb, ArmFrameNumber frame, std::uint32_t via)
{
	ArmVerdict& verdict = proof_.verdict();
	if (at < text_.places() && !proof_.places().begins(at))
		return arrive(at, thumb, frame, via);
	note_exit(at);
	const bool after_call = via == at || via + 1 == at;
	verdict.ended = true;
	if (after_call)
		return;
	if (at >= text_.places() || !proof_.frames()[frame].is_whole())
		return verdict.fail(via);
	verdict.returned = true;
}

void ArmPaths::pass_table(const ArmJumpTable& table, ArmFrameNumber frame, std::uint32_t via)
{
	const ArmJumpTargets targets =
		targets_of(table, text_, [&](std::size_t at) { return proof_.places().begins(at); });
	for (const std::size_t place : targets.places)
		arrive(place, table.thumb, frame, via);
	if (targets.function)
		note_exit(*targets.function);
	proof_.add_data(table.start, targets.table_bytes);
}

void ArmPaths::note_jump(ArmFrameNumber frame)
{
	const ArmFrameNumber number = proof_.frames().at_jump(frame);
	if (has(known_jumps_, number))
		proof_.verdict().show(ArmEvidence::strong);
	else if (proof_.frames()[frame].is_whole())
		proof_.verdict().show(ArmEvidence::leaves);
	if (findings_.jumps.size() <= max_arm_candidates && !has(findings_.jumps, number))
		findings_.jumps.push_back(number);
}

// False: it is a return.
bool ArmPaths::pass_computed_jump(const ArmStep& step, ArmFrameNumber frame, std::uint32_t via)
{
	if (jumps_back(step.instruction, proof_.frames()[frame]))
		return false;
	proof_.verdict().returned = proof_.verdict().ended = true;
	const auto table = find_jump_table(step.instruction, instructions_before(step.at, text_, proof_),
					   text_.address_of(step.at), proof_.places().is_thumb(step.at));
	if (table)
		pass_table(*table, frame, via);
	else
		note_jump(frame);
	return true;
}

// False: the path ends here.
bool ArmPaths::pass_call(std::size_t at, const ArmInstruction& call, ArmFrameNumber frame, std::uint32_t& via)
{
	const bool never_returns = last_calls_.never_returns(call), blamed = last_calls_.is_blamed(at);
	findings_.sites.push_back({at, blamed});
	if (call.has_target)
		findings_.calls.push_back({text_.address_of(at), call.target, call.target_thumb, never_returns});
	if (never_returns && proof_.frames()[frame].has_saved_link())
		proof_.verdict().show(ArmEvidence::leaves);
	if (blamed || never_returns) {
		proof_.verdict().ended = true;
		return false;
	}
	via = static_cast<std::uint32_t>(at + 1);
	return true;
}

// A return, or a computed jump. Every path ends here.
bool ArmPaths::pass_leave(const ArmStep& step, ArmFrameNumber frame, std::uint32_t via)
{
	const ArmInstruction& instruction = step.instruction;
	ArmVerdict& verdict = proof_.verdict();
	if ((instruction.flow == ArmFlow::computed_jump ||
	     jumps_through_computed_link(instruction, proof_.frames()[frame])) &&
	    pass_computed_jump(step, frame, via))
		return false;
	verdict.returned = verdict.ended = true;
	verdict.show(ArmEvidence::strong);
	if (returns_wrongly(instruction, proof_.frames()[frame]))
		verdict.fail(via);
	return false;
}

// False: the path ends here.
bool ArmPaths::pass_plain(std::size_t at, const ArmInstruction& instruction, ArmFrameNumber& frame, std::uint32_t& via)
{
	if (instruction.literal_bytes)
		proof_.add_data(instruction.literal, instruction.literal_bytes);
	if (instruction.flow == ArmFlow::call && !pass_call(at, instruction, frame, via))
		return false;
	frame = proof_.frames().after(frame, instruction);
	if (proof_.frames()[frame].is_impossible())
		proof_.verdict().fail(via);
	return !proof_.verdict().wrong;
}

// False: the path ends here.
bool ArmPaths::pass(const ArmStep& step, ArmFrameNumber& frame, std::uint32_t& via)
{
	const ArmInstruction& instruction = step.instruction;
	ArmVerdict& verdict = proof_.verdict();
	if (pushes_link(instruction) && !proof_.frames()[frame].holds_link(UW_ARM_LR)) {
		verdict.fail(via);
		return false;
	}
	if (instruction.literal_bytes)
		proof_.add_data(instruction.literal, instruction.literal_bytes);
	switch (instruction.flow) {
	case ArmFlow::next:
		break;
	case ArmFlow::jump:
		go_to(step.at, instruction, frame, via);
		return false;
	case ArmFlow::call:
		if (!pass_call(step.at, instruction, frame, via))
			return false;
		break;
	case ArmFlow::computed_jump:
	case ArmFlow::leave:
		return pass_leave(step, frame, via);
	case ArmFlow::stop:
		verdict.ended = true;
		return false;
	}
	frame = proof_.frames().after(frame, instruction);
	if (proof_.frames()[frame].is_impossible())
		verdict.fail(via);
	return !verdict.wrong;
}

// Both outcomes are followed at once. Between the instructions they may have different
// frames: those places get no row.
void ArmPaths::step_block(std::size_t at)
{
	struct Outcome {
		ArmFrameNumber frame;
		std::uint32_t via;
		bool goes_on = true;
	};
	const Outcome before{proof_.frame(at), proof_.via(at)};
	Outcome outcomes[2] = {before, before};
	for (const ArmStep& step : block_.steps) {
		const auto& [met, missed] = outcomes;
		ArmFrameNumber between = met.goes_on ? met.frame : missed.frame;
		if (met.goes_on && missed.goes_on)
			between = proof_.frames().join(met.frame, missed.frame).value_or(ArmFrameSet::unknown);
		if (step.at != at)
			proof_.note_between(step.at, step.instruction, between, at);
		auto& outcome = outcomes[step.opposite];
		if (outcome.goes_on && !proof_.verdict().wrong)
			outcome.goes_on = pass(step, outcome.frame, outcome.via);
	}
	for (auto& outcome : outcomes)
		if (outcome.goes_on && !proof_.verdict().wrong)
			fall_to(block_.next, proof_.places().is_thumb(at), outcome.frame, outcome.via);
}

void ArmPaths::step_with_effect(std::size_t at)
{
	const bool thumb = proof_.places().is_thumb(at);
	const ArmStep step{at, text_.decode(at, thumb), false};
	const ArmInstruction& instruction = step.instruction;
	if (!instruction.bytes)
		return;
	if (instruction.block || instruction.is_conditional()) {
		read_block(at, instruction, text_, thumb, block_);
		return block_.steps.empty() ? proof_.verdict().fail(proof_.via(at)) : step_block(at);
	}
	ArmFrameNumber frame = proof_.frame(at);
	std::uint32_t via = proof_.via(at);
	if (pass(step, frame, via))
		fall_to(at + instruction.bytes / 2, thumb, frame, via);
}

// Goes on as long as one instruction leads to the next, where no path has been.
void ArmPaths::step(std::size_t at)
{
	const bool thumb = proof_.places().is_thumb(at);
	ArmFrameNumber frame = proof_.frame(at);
	std::uint32_t via = proof_.via(at);
	for (const ArmInstruction* instruction = &text_.decode(at, thumb);; steps_left_--) {
		const std::size_t next = at + instruction->bytes / 2;
		const bool plain = is_plain(*instruction);
		if (!plain && !is_lone_branch(*instruction, next, text_, thumb))
			return step_with_effect(at);
		if (!plain)
			go_to(at, *instruction, frame, via);
		else if ((instruction->literal_bytes || !proof_.frames().is_kept_by(*instruction, frame)) &&
			 !pass_plain(at, *instruction, frame, via))
			return;
		if (proof_.verdict().wrong)
			return;
		if (!steps_left_ || !proof_.places().is_new(next))
			return fall_to(next, thumb, frame, via);
		instruction = &text_.decode(next, thumb);
		if (!instruction->bytes && via)
			return fall_to(next, thumb, frame, via);
		proof_.occupy(next, *instruction, thumb, frame, via);
		if (proof_.verdict().wrong)
			return;
		at = next;
	}
}

bool ArmPaths::follow_once(std::size_t at, bool thumb, ArmFrameNumber frame)
{
	ArmVerdict& verdict = proof_.verdict();
	proof_.begin_try();
	pending_.clear();
	findings_.clear();
	arrive(at, thumb, frame, 0);
	while (!pending_.empty() && !verdict.wrong) {
		if (!steps_left_)
			verdict.fail(0);
		else
			steps_left_--;
		const std::size_t next = pending_.back();
		pending_.pop_back();
		step(next);
	}
	if (!verdict.wrong)
		proof_.check_data();
	return !verdict.wrong;
}

// The first try: what scouting has left, if it still holds. Its steps count again.
bool ArmPaths::follow_first(std::size_t at, bool thumb, ArmFrameNumber frame)
{
	const auto scouted_steps = std::exchange(scouted_steps_, std::nullopt);
	const std::unique_ptr<ArmKeptTry> kept = std::move(kept_);
	if (scouted_steps && steps_left_ >= *scouted_steps) {
		steps_left_ -= *scouted_steps;
		return !proof_.verdict().wrong;
	}
	if (scouted_steps)
		proof_.forget();
	if (!kept || steps_left_ < kept->steps || !still_holds(*kept, proof_, last_calls_) ||
	    !proof_.try_again(kept->tried))
		return follow_once(at, thumb, frame);
	steps_left_ -= kept->steps;
	findings_ = std::move(kept->findings);
	return !proof_.verdict().wrong;
}

bool ArmPaths::follow(std::size_t at, bool thumb, ArmFrameNumber frame, ArmEvidence needed, bool blames)
{
	const ArmVerdict& verdict = proof_.verdict();
	std::vector<std::size_t> blamed;
	bool good = follow_first(at, thumb, frame);
	while (!good && blames && verdict.culprit && blamed.size() < max_blamed_calls) {
		const std::size_t call = verdict.culprit - 1;
		if (last_calls_.is_blamed(call))
			break;
		blamed.push_back(call);
		last_calls_.blame(call, true);
		proof_.forget();
		good = follow_once(at, thumb, frame);
	}
	if (good && verdict.ended && verdict.evidence >= needed)
		return true;
	for (const std::size_t call : blamed)
		last_calls_.blame(call, false);
	return false;
}

std::vector<ArmCall> ArmPaths::scout(std::size_t at, bool thumb)
{
	const std::size_t steps_before = steps_left_;
	follow_once(at, thumb, ArmFrameSet::first);
	scouted_steps_ = steps_before - steps_left_;
	std::vector<ArmCall> calls;
	const std::vector<std::size_t> data = proof_.tried_data();
	for (const ArmCall& call : findings_.calls)
		if (!std::binary_search(data.begin(), data.end(), text_.place_of(call.from)))
			calls.push_back(call);
	return calls;
}

std::unique_ptr<ArmKeptTry> ArmPaths::keep(std::size_t room)
{
	const std::size_t steps = std::exchange(scouted_steps_, std::nullopt).value_or(0);
	auto kept = std::make_unique<ArmKeptTry>(ArmKeptTry{proof_.keep_try(), std::move(findings_), steps});
	proof_.forget();
	return kept->entries() <= room ? std::move(kept) : nullptr;
}

} // namespace uwind
