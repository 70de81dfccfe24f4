// SPDX-License-Identifier: GPL-2.0
#include "tables/code/x86/calls.h"

#include "tables/code/x86/flow.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace uwind {
namespace {

constexpr std::uint8_t call_opcode = 0xe8;
constexpr std::size_t distance_bytes = 4;
constexpr std::uint64_t max_lines = 1 << 26;

class CallSearch {
public:
	CallSearch(const CalledFrom& from, const TableRows& table, Arch arch)
	    : from_(from), table_(table), is_64_(arch == Arch::x86_64)
	{
	}
	bool is_call(std::size_t opcode);
	std::uint64_t target(std::size_t opcode) const;

private:
	std::size_t row_start(std::size_t at) const;

	const CalledFrom& from_;
	const TableRows& table_;
	const bool is_64_;
	std::size_t decoded_ = 0; // an instruction begins there
};

std::uint64_t CallSearch::target(std::size_t opcode) const
{
	const auto distance = static_cast<std::int32_t>(word_at(from_.code, opcode + 1));
	return from_.address + opcode + 1 + distance_bytes + static_cast<std::uint64_t>(std::int64_t{distance});
}

// Of the last row up to there.
std::size_t CallSearch::row_start(std::size_t at) const
{
	const std::uint64_t offset = from_.offset + at;
	const auto next = std::upper_bound(table_.rows.begin(), table_.rows.end(), offset,
					   [](std::uint64_t place, const Row& row) { return place < row.start; });
	if (next == table_.rows.begin() || std::prev(next)->start < from_.offset)
		return 0;
	return std::prev(next)->start - from_.offset;
}

// Opcodes come in rising order, so each instruction is decoded once.
bool CallSearch::is_call(std::size_t opcode)
{
	decoded_ = std::max(decoded_, row_start(opcode));
	while (decoded_ <= opcode) {
		const X86Instruction instruction = decode_x86(from_.code.subspan(decoded_), is_64_);
		decoded_ += std::max(instruction.bytes, 1u);
		if (decoded_ == opcode + 1 + distance_bytes)
			return flow_x86(instruction, 0).way == X86Way::call;
	}
	return false;
}

} // namespace

AddressRanges::AddressRanges(std::vector<AddressRange> ranges) : ranges_(std::move(ranges))
{
	if (ranges_.empty())
		return;
	first_ = ranges_.front().start;
	while ((ranges_.back().end - first_) >> line_bits_ >= max_lines)
		line_bits_++;
	lines_.resize(((ranges_.back().end - first_) >> line_bits_) + 1);
	for (const AddressRange& range : ranges_)
		for (std::uint64_t line = (range.start - first_) >> line_bits_;
		     line <= (range.end - 1 - first_) >> line_bits_; line++)
			lines_[line] = true;
}

bool AddressRanges::find(std::uint64_t address) const
{
	const auto next =
		std::upper_bound(ranges_.begin(), ranges_.end(), address,
				 [](std::uint64_t at, const AddressRange& range) { return at < range.start; });
	return next != ranges_.begin() && address < std::prev(next)->end;
}

void find_calls_x86(const CalledFrom& from, const TableRows& table, Arch arch, const AddressRanges& gaps,
		    std::vector<CodeFunction>& functions)
{
	if (from.code.size() < 1 + distance_bytes)
		return;
	CallSearch search(from, table, arch);
	const std::uint8_t* const end = from.code.data() + from.code.size() - distance_bytes;
	for (const std::uint8_t* at = from.code.data(); at < end; at++) {
		at = static_cast<const std::uint8_t*>(std::memchr(at, call_opcode, static_cast<std::size_t>(end - at)));
		if (!at)
			return;
		const auto opcode = static_cast<std::size_t>(at - from.code.data());
		const std::uint64_t target = search.target(opcode);
		if (gaps.have(target) && search.is_call(opcode))
			functions.push_back({target, 0, false});
	}
}

} // namespace uwind
