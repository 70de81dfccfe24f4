// SPDX-License-Identifier: GPL-2.0
// One beginning after the other: symbols and what is called first, then what pointers
// lead to, then what is left. Nothing is kept of a beginning one of whose paths makes no sense.
#include "tables/code/arm/code.h"

#include "tables/code/arm/landings.h"
#include "tables/code/arm/paths.h"
#include "tables/code/arm/pointer.h"

extern "C" {
#include "types.h"
}

#include <algorithm>
#include <map>
#include <memory>

namespace uwind {
namespace {

constexpr std::uint32_t alignment = 4;            // of most functions
constexpr std::size_t max_kept_entries = 1 << 16; // of functions that are scouted: 16 to 20 bytes each

class ArmCodeReader {
public:
	ArmCodeReader(Bytes code, std::uint32_t address, const ArmCodeHints& hints)
	    : hints_(hints), text_(code, address), proof_(text_), paths_(text_, proof_, hints.no_return),
	      state_(text_.places()), landings_(text_, proof_)
	{
	}

	void run();
	void collect(std::uint32_t offset, std::vector<Stretch>& stretches) const;

private:
	enum State : std::uint8_t { none, waiting, scouted };

	struct Waiting {
		std::size_t at;
		bool thumb;
		std::unique_ptr<ArmKeptTry> scouted; // null: it has not been, or could not be kept
	};

	void note_function(std::size_t at, bool thumb);
	bool scout(std::size_t number);
	bool is_news(const ArmCall& call) const;
	void read_functions();
	bool begin_at(std::size_t at, bool thumb, ArmEvidence needed, bool blames);
	bool begin_with(const std::vector<ArmFrameNumber>& frames, std::size_t at, bool thumb, ArmEvidence needed);
	bool begin_inside(std::size_t at, bool thumb);
	bool begin_somehow(std::size_t at, bool thumb, bool after_code);
	const std::vector<ArmFrameNumber>& jumps_before(std::size_t at) const;
	ArmEvidence needed_at(std::size_t at) const;
	void keep();
	void read_pointer(std::uint32_t address);
	void read_pointers();
	void read_rest();
	bool is_padding(std::size_t at, bool thumb) const;

	const ArmCodeHints& hints_;
	const ArmText text_;
	ArmProof proof_;
	ArmPaths paths_;
	std::vector<std::uint8_t> state_; // of beginnings
	std::vector<Waiting> functions_;  // to be read
	std::size_t kept_entries_ = 0;    // of those that are scouted
	// The same, with less certainty: what relocations point to as long as it is unseen, and what code points to.
	std::vector<std::uint32_t> hinted_, pointers_;
	// Frames at a function's computed jumps, by its beginning: its blocks may have one of them to which no path
	// leads.
	std::map<std::size_t, std::vector<ArmFrameNumber>> jumps_;
	ArmLandings landings_;
};

// A call of a function that has not been read; it may lie within what is being tried.
bool ArmCodeReader::is_news(const ArmCall& call) const
{
	const std::size_t at = text_.place_of(call.target);
	return at < text_.places() && state_[at] == none && proof_.places().is_open(at);
}

void ArmCodeReader::note_function(std::size_t at, bool thumb)
{
	if (at >= text_.places() || state_[at] != none || !proof_.places().is_unseen(at))
		return;
	state_[at] = waiting;
	proof_.places().set_begin(at, true);
	functions_.push_back({at, thumb, nullptr});
}

void ArmCodeReader::keep()
{
	for (const std::size_t at : proof_.settle())
		if (const auto pointer = pointer_loaded_at(at, text_, proof_))
			pointers_.push_back(*pointer);
	for (const ArmCallSite& site : paths_.findings().sites)
		proof_.places().add_call(site.at);
	for (const ArmCall& call : paths_.findings().calls)
		note_function(text_.place_of(call.target), call.thumb);
}

// What a function calls is read before it: that shows which of its calls do not return. False: there is nothing to be
// read before it, and its try is still in force.
bool ArmCodeReader::scout(std::size_t number)
{
	Waiting& function = functions_[number];
	state_[function.at] = scouted;
	const std::vector<ArmCall> calls = paths_.scout(function.at, function.thumb);
	if (std::none_of(calls.begin(), calls.end(), [&](const ArmCall& call) { return is_news(call); }))
		return false;
	const std::size_t room = max_kept_entries - kept_entries_;
	function.scouted = paths_.keep(room);
	kept_entries_ += function.scouted ? function.scouted->entries() : 0;
	for (const ArmCall& call : calls)
		note_function(text_.place_of(call.target), call.thumb);
	return true;
}

bool ArmCodeReader::begin_at(std::size_t at, bool thumb, ArmEvidence needed, bool blames)
{
	if (!paths_.follow(at, thumb, ArmFrameSet::first, needed, blames)) {
		if (needed == ArmEvidence::none)
			proof_.forget_and_doubt();
		else
			proof_.forget();
		return false;
	}
	proof_.places().set_begin(at, true);
	if (!proof_.verdict().returned)
		paths_.add_no_return(at);
	jumps_[at] = paths_.findings().jumps;
	keep();
	return true;
}

// What calls lead to, too, and what those functions call.
void ArmCodeReader::read_functions()
{
	while (!functions_.empty()) {
		const bool is_new = proof_.places().is_unseen(functions_.back().at);
		if (is_new && state_[functions_.back().at] == waiting && scout(functions_.size() - 1))
			continue;
		Waiting next = std::move(functions_.back());
		functions_.pop_back();
		kept_entries_ -= next.scouted ? next.scouted->entries() : 0;
		if (is_new && next.scouted)
			paths_.take_up(std::move(next.scouted));
		if (!is_new || !begin_at(next.at, next.thumb, ArmEvidence::none, true))
			proof_.places().set_begin(next.at, false);
	}
}

// Of the function that lies before a place.
const std::vector<ArmFrameNumber>& ArmCodeReader::jumps_before(std::size_t at) const
{
	static const std::vector<ArmFrameNumber> none;
	const auto function = jumps_.upper_bound(at);
	return function == jumps_.begin() ? none : std::prev(function)->second;
}

// After a computed jump there may be blocks that end with another one, as functions may.
ArmEvidence ArmCodeReader::needed_at(std::size_t at) const
{
	return jumps_before(at).empty() ? ArmEvidence::leaves : ArmEvidence::strong;
}

void ArmCodeReader::read_pointer(std::uint32_t address)
{
	const std::size_t at = text_.place_of(address);
	if (at >= text_.places() || !proof_.places().is_unseen(at))
		return;
	begin_at(at, address & 1, needed_at(at), address & 1);
	read_functions();
}

void ArmCodeReader::read_pointers()
{
	std::erase_if(hinted_,
		      [&](std::uint32_t address) { return !proof_.places().is_unseen(text_.place_of(address)); });
	for (std::size_t i = 0; i < hinted_.size(); i++)
		read_pointer(hinted_[i]);
	while (!pointers_.empty()) {
		const std::uint32_t address = pointers_.back();
		pointers_.pop_back();
		read_pointer(address);
	}
}

bool ArmCodeReader::is_padding(std::size_t at, bool thumb) const
{
	const ArmInstruction instruction = text_.decode(at, thumb);
	const bool hint = instruction.bytes && instruction.flow == ArmFlow::next && !instruction.block &&
			  instruction.action == ArmAction::none && !instruction.writes;
	return !instruction.bytes || hint;
}

// With the one of these frames that makes sense.
bool ArmCodeReader::begin_with(const std::vector<ArmFrameNumber>& frames, std::size_t at, bool thumb,
			       ArmEvidence needed)
{
	if (frames.empty() || frames.size() > max_arm_candidates)
		return false;
	std::vector<ArmFrameNumber> sensible;
	for (const ArmFrameNumber frame : frames) {
		if (paths_.follow(at, thumb, frame, needed, true))
			sensible.push_back(frame);
		proof_.forget();
	}
	const bool good = sensible.size() == 1 && paths_.follow(at, thumb, sensible[0], needed, true);
	if (good)
		keep();
	return good;
}

// What only a computed jump or an exception reaches. Where exceptions land the code often ends with a call that does
// not return.
bool ArmCodeReader::begin_inside(std::size_t at, bool thumb)
{
	const std::vector<ArmFrameNumber> jumps = jumps_before(at);
	paths_.set_known_jumps(jumps);
	const bool good = begin_with(jumps, at, thumb, ArmEvidence::strong);
	paths_.set_known_jumps({});
	return good || begin_with(landings_.frames(), at, thumb, ArmEvidence::leaves);
}

// In the mode of the code around, or else in the other one.
bool ArmCodeReader::begin_somehow(std::size_t at, bool thumb, bool after_code)
{
	if (begin_inside(at, thumb))
		return true;
	for (const bool mode : {thumb, !thumb}) {
		const bool likely =
			after_code || is_prologue(text_.decode(at, mode)) || !(text_.address_of(at) % alignment);
		const auto needed = after_code && mode == thumb ? needed_at(at) : ArmEvidence::strong;
		if (likely && !is_padding(at, mode) && begin_at(at, mode, needed, after_code && mode == thumb))
			return true;
	}
	return false;
}

// What is left: functions without a direct call, and where computed jumps lead. It
// lies right after what was read, or is aligned, or begins as functions do. The middle of
// a function that made no sense may look like one.
void ArmCodeReader::read_rest()
{
	bool after_code = true, thumb = true;
	for (std::size_t at = 0; at < text_.places();) {
		if (proof_.places().is_settled(at)) {
			const std::size_t end = proof_.places().end_of_settled(at);
			landings_.pass(at, end);
			at = end;
			thumb = proof_.places().is_thumb_before(at);
			after_code = true;
		} else if (!proof_.places().is_unseen(at) || proof_.places().is_doubtful(at) || is_padding(at, thumb)) {
			at++;
		} else if (begin_somehow(at, thumb, after_code)) {
			read_functions();
			read_pointers();
		} else {
			after_code = false;
			at++;
		}
	}
}

void ArmCodeReader::run()
{
	for (const CodeFunction& function : hints_.functions) {
		const auto address = static_cast<std::uint32_t>(function.start);
		const std::size_t at = text_.place_of(address);
		if (function.certain)
			note_function(at, address & 1);
		else if (at < text_.places())
			hinted_.push_back(address);
	}
	read_functions();
	read_pointers();
	read_rest();
}

// The return address in the link register, as callers never have it: the walk ends, where a frame pointer would lead on
// without the caller.
Rule dead_end()
{
	Rule rule;
	rule.kind = UW_RULE_FRAME;
	rule.cfa_reg = UW_ARM_SP;
	rule.cfa_off = 4;
	return rule;
}

// Which frame there is depends on a condition. A frame pointer may be a caller's: not even that is followed.
Rule do_not_guess()
{
	Rule rule;
	rule.kind = UW_RULE_UNKNOWN;
	return rule;
}

void ArmCodeReader::collect(std::uint32_t offset, std::vector<Stretch>& stretches) const
{
	const auto offset_of = [&](std::size_t at) { return offset + static_cast<std::uint32_t>(at * 2); };
	for (std::size_t at = 0, end; at < text_.places(); at = end) {
		end = at + 1;
		if (!proof_.places().is_settled(at))
			continue;
		const ArmFrameNumber number = proof_.frame(at);
		const ArmFrame& frame = proof_.frames()[number];
		const bool orphaned = frame.is_orphaned();
		end = orphaned ? proof_.places().end_of_instruction(at) : proof_.end_of_frame(at);
		if (orphaned && text_.decode(at, proof_.places().is_thumb(at)).flow == ArmFlow::call)
			stretches.push_back({offset_of(at) + 1, offset_of(end), dead_end()}); // return addresses only
		const Rule rule = number == ArmFrameSet::unknown ? do_not_guess() : frame.rule();
		if (rule.kind != UW_RULE_NONE)
			append_stretch(stretches, {offset_of(at), offset_of(end), rule});
	}
}

} // namespace

void read_code_arm(Bytes code, std::uint64_t address, std::uint32_t offset, const ArmCodeHints& hints,
		   std::vector<Stretch>& stretches)
{
	if (code.size() > max_read_arm_bytes || address % 2)
		return;
	ArmCodeReader reader(code, static_cast<std::uint32_t>(address), hints);
	reader.run();
	reader.collect(offset, stretches);
}

} // namespace uwind
