// SPDX-License-Identifier: GPL-2.0
// Follows every path through a stretch of code from where its functions begin.
// Beginnings that are known (symbols, calls) come first; what they do not reach is
// read from its first instruction on, and does not change what they have told.
#include "tables/code_arm64.h"

#include "tables/frame_arm64.h"
#include "tables/instruction_arm64.h"

extern "C" {
#include "types.h"
}

#include <algorithm>
#include <cstring>

namespace uwind {
namespace {

constexpr unsigned ip0 = 16, ip1 = 17; // the registers that veneers and PLTs jump through

// Its targets may be blocks of the same function.
bool is_computed_jump(std::uint32_t word)
{
	const Arm64Flow flow = flow_arm64(word);
	return flow.way == Arm64Way::computed_jump && flow.through != ip0 && flow.through != ip1;
}

bool falls_through(Arm64Way way)
{
	return way == Arm64Way::next || way == Arm64Way::branch || way == Arm64Way::call;
}

bool is_padding(std::uint32_t word)
{
	return word == arm64_nop || word == 0;
}

std::vector<std::uint32_t> words_of(Bytes code)
{
	std::vector<std::uint32_t> words(code.size() / 4);
	if (!words.empty())
		std::memcpy(words.data(), code.data(), words.size() * 4);
	return words;
}

// One stretch without rows.
class CodeReader {
public:
	CodeReader(std::uint64_t address, std::vector<std::uint32_t> words)
	    : address_(address), words_(std::move(words)), seen_(words_.size()), frames_(words_.size())
	{
	}

	void run(const std::vector<CodeFunction>& functions);
	// Rows of the stretch, whose first byte has this file offset.
	void collect(std::uint32_t offset, std::vector<Stretch>& stretches) const;

private:
	enum Seen : std::uint8_t { unseen, begins, reached, disputed };

	void begin_at(std::int64_t at);
	void begin_unknown(std::size_t at);
	void find_called();
	void follow();
	void arrive(std::int64_t at, const Arm64Frame& frame);

	const std::uint64_t address_;
	const std::vector<std::uint32_t> words_;
	std::vector<std::uint8_t> seen_;
	std::vector<Arm64Frame> frames_; // before each instruction
	std::vector<std::size_t> pending_;
	std::vector<std::size_t> trail_; // where the current beginning led
	std::vector<bool> settled_;      // by other beginnings
	bool reached_out_ = false;
};

void CodeReader::begin_at(std::int64_t at)
{
	if (at < 0 || at >= static_cast<std::int64_t>(words_.size()) || seen_[at] != unseen)
		return;
	seen_[at] = begins;
	pending_.push_back(static_cast<std::size_t>(at));
}

void CodeReader::find_called()
{
	for (std::size_t at = 0; at < words_.size(); at++) {
		const Arm64Flow flow = flow_arm64(words_[at]);
		if (flow.way == Arm64Way::call && flow.has_target)
			begin_at(static_cast<std::int64_t>(at) + flow.distance / 4);
	}
}

// A path comes to an instruction.
void CodeReader::arrive(std::int64_t at, const Arm64Frame& frame)
{
	if (at < 0 || at >= static_cast<std::int64_t>(words_.size()) || seen_[at] == begins || seen_[at] == disputed)
		return;
	if (!settled_.empty() && settled_[at])
		return;
	if ((seen_[at] == reached && frames_[at] == frame) || frame.is_beginning(words_[at]))
		return;
	Arm64Frame both = frame;
	const bool agreed = seen_[at] == unseen || both.join(frames_[at]);
	if (seen_[at] == reached && agreed && both == frames_[at])
		return;
	seen_[at] = agreed ? reached : disputed;
	trail_.push_back(static_cast<std::size_t>(at));
	frames_[at] = both;
	pending_.push_back(static_cast<std::size_t>(at));
}

void CodeReader::follow()
{
	while (!pending_.empty()) {
		const std::size_t at = pending_.back();
		pending_.pop_back();
		Arm64Frame frame = seen_[at] == disputed ? Arm64Frame::unknown() : frames_[at];
		const Arm64Flow flow = flow_arm64(words_[at]);
		if (flow.has_target && flow.way != Arm64Way::call)
			arrive(static_cast<std::int64_t>(at) + flow.distance / 4, frame);
		frame.execute(words_[at]);
		reached_out_ |= frame.reached_out();
		if (falls_through(flow.way))
			arrive(static_cast<std::int64_t>(at) + 1, frame);
	}
}

void CodeReader::run(const std::vector<CodeFunction>& functions)
{
	const auto before = [](const CodeFunction& function, std::uint64_t at) { return function.start < at; };
	auto function = std::lower_bound(functions.begin(), functions.end(), address_, before);
	for (; function != functions.end() && function->start < address_ + words_.size() * 4; ++function)
		begin_at(static_cast<std::int64_t>(function->start - address_) / 4);
	find_called();
	follow();
	settled_.resize(words_.size());
	for (std::size_t at = 0; at < words_.size(); at++)
		settled_[at] = seen_[at] != unseen;
	bool jump_table = false; // since the last beginning: what follows may be its targets
	for (std::size_t at = 0; at < words_.size(); at++) {
		if (seen_[at] == begins)
			jump_table = false;
		if (seen_[at] == unseen && !is_padding(words_[at]) && !jump_table)
			begin_unknown(at);
		jump_table |= is_computed_jump(words_[at]);
	}
}

// A part of a function that only a jump from elsewhere reaches gives itself away by
// what it does to a frame that it has not made.
void CodeReader::begin_unknown(std::size_t at)
{
	reached_out_ = false;
	trail_.assign(1, at);
	begin_at(static_cast<std::int64_t>(at));
	follow();
	for (const std::size_t been : trail_) {
		settled_[been] = true;
		if (reached_out_)
			seen_[been] = disputed;
	}
}

void CodeReader::collect(std::uint32_t offset, std::vector<Stretch>& stretches) const
{
	for (std::size_t at = 0; at < words_.size(); at++, offset += 4) {
		const Rule rule = seen_[at] == begins || seen_[at] == reached ? frames_[at].rule() : Rule{};
		if (rule.kind == UW_RULE_NONE)
			continue;
		if (!stretches.empty() && stretches.back().end == offset && stretches.back().rule == rule)
			stretches.back().end = offset + 4;
		else
			stretches.push_back({offset, offset + 4, rule});
	}
}

} // namespace

void read_code_arm64(Bytes code, std::uint64_t address, std::uint32_t offset,
		     const std::vector<CodeFunction>& functions, std::vector<Stretch>& stretches)
{
	std::vector<std::uint32_t> words = words_of(code);
	if (code.size() > max_read_arm64_bytes || address % 4 || std::all_of(words.begin(), words.end(), is_padding))
		return;
	CodeReader reader(address, std::move(words));
	reader.run(functions);
	reader.collect(offset, stretches);
}

} // namespace uwind
