// SPDX-License-Identifier: GPL-2.0
// Turns the frame states of functions into rows at file offsets, and notes what no row can say.
#pragma once

#include "tables/cfi/outlined.h"
#include "tables/cfi/program.h"
#include "tables/row_builder.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace uwind {

// A function that is to be interpreted.
struct CfiFunction {
	std::uint64_t bias = 0; // file offset = address - bias
	std::uint64_t end = 0;  // address
	bool signal_frame = false;
	// Not 0: its start, which signal handlers return to. Callers are looked up one byte before the address that is
	// returned to, so this function has that byte.
	std::uint64_t returned_to = 0;
	std::int64_t raise = 0; // is added to its CFA
	bool lose_fp = false;   // where it has a frame, the caller's frame pointer is not known
};

// What a rule says of a frame of arm64. bare: nothing is on the stack, as where a function returns.
enum class CfiFrame : std::uint8_t { unsaid, bare, made };

// What a function's CFI says as a whole.
struct CfiTraits {
	std::int64_t missing_cfa_bytes = 0;
	bool contradicts_itself = false; // its return address lies below SP
	bool flat = true;                // it pushes nothing
	bool mentions_fp = false;
	std::vector<std::pair<std::uint32_t, CfiFrame>> frames; // from this file offset on; of arm64 only

	CfiFrame frame_at(std::uint32_t offset) const;
	void clear();
};

class RowSink final : public FrameSink {
public:
	RowSink(FrameAbi abi, RowBuilder& builder) : abi_(abi), builder_(builder) {}

	// The function that comes next.
	void begin(const CfiFunction& function);
	// The same function, once more: forgets what was noted of it.
	void begin_again(const CfiFunction& function);
	// Forgets only what no row can say of it.
	void forget_left_out();
	const CfiTraits& traits() const { return traits_; }

	void row(std::uint64_t start, std::uint64_t end, const FrameState& state, FrameNumber number) override
	{
		start -= function_.returned_to == start ? 1 : 0;
		if (is_known(number))
			add_known(start, known_[number]);
		else
			add_new(start, end, state, number);
	}
	void forget_numbers() override { known_.clear(); }
	void broken(std::uint64_t start, CfiReason reason) override { leave_out(start, function_.end, reason); }

	// What CFI describes, but no row can say; with rules of kind UNKNOWN.
	const std::vector<Stretch>& left_out() const { return left_out_; }
	const std::vector<OutlinedRow>& outlined() const { return outlined_; }
	// See CfiRows.
	std::vector<Stretch> take_stated() { return std::move(stated_); }
	// Rows and notes have one limit.
	bool full() const;
	void count(CfiReason reason, std::uint64_t n = 1) { counts_[static_cast<std::size_t>(reason)] += n; }
	std::map<std::string, std::uint64_t> reasons() const;

private:
	// How much there was when the function began.
	struct Mark {
		std::size_t stated = 0, left_out = 0, outlined = 0;
	};

	// What a state of this number comes to.
	struct Known {
		bool plain = false; // a row, and nothing else
		bool fp_lost = false;
		bool contradicts_itself = false, flat = true, mentions_fp = false;
		CfiFrame frame = CfiFrame::unsaid;
		std::uint32_t rule = 0; // its number
	};

	// A function that is run again has other rules.
	bool is_known(FrameNumber number) const
	{
		return number < known_.size() && known_[number].plain && !function_.raise && !function_.lose_fp;
	}
	void add_known(std::uint64_t start, const Known& known);
	void add_new(std::uint64_t start, std::uint64_t end, const FrameState& state, FrameNumber number);
	void note_known(FrameNumber number, Known known);
	void note_traits(std::uint64_t start, const Known& known);
	bool add(std::uint64_t address, const Rule& rule);
	Stretch stretch(std::uint64_t start, std::uint64_t end, const Rule& rule) const;
	void leave_out(std::uint64_t start, std::uint64_t end, CfiReason reason);
	bool add_outlined(std::uint64_t start, std::uint64_t end, const FrameState& state);
	void add_stepped(std::uint64_t start, std::uint64_t end, const Symbolic& cfa, const Rule& rule);

	const FrameAbi abi_;
	RowBuilder& builder_;
	CfiFunction function_;
	CfiTraits traits_;         // of the function
	std::vector<Known> known_; // by number
	Mark mark_;
	std::vector<Stretch> left_out_;
	std::vector<OutlinedRow> outlined_;
	std::vector<Stretch> stated_;
	std::uint64_t counts_[static_cast<std::size_t>(CfiReason::count)] = {};
};

} // namespace uwind
