// SPDX-License-Identifier: GPL-2.0
// A sample of perf: its parts stand in the order of the bits that ask for them.
#include "perf_data/sample.h"

#include <algorithm>

#include "perf_data/registers.h"

namespace uwind::perf_data {
namespace {

constexpr std::size_t branch_bytes = 24;

// So many of them cannot be there: the cursor fails.
void skip_each(ByteCursor& cursor, std::uint64_t number, std::size_t bytes)
{
	if (number > cursor.left() / bytes)
		cursor.fail();
	else
		cursor.skip(number * bytes);
}

void skip_counts(const Attribute& attribute, ByteCursor& cursor)
{
	const std::uint64_t format = attribute.read_format;
	const bool is_group = format & PERF_FORMAT_GROUP;
	const std::size_t times =
		!!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	const std::size_t each = 8 * (1 + !!(format & PERF_FORMAT_ID) + !!(format & sample_read_lost));
	const std::uint64_t number = is_group ? cursor.u64() : 1;
	cursor.skip(8 * times);
	skip_each(cursor, number, each);
}

void skip_branches(const Attribute& attribute, ByteCursor& cursor)
{
	const std::uint64_t number = cursor.u64();
	if (attribute.branch_type & branch_hw_index)
		cursor.skip(8);
	skip_each(cursor, number, branch_bytes + (attribute.branch_type & branch_counters ? 8 : 0));
}

// What the parts mean.
class Parser {
public:
	Parser(const Attribute& attribute, Arch arch, std::uint16_t misc, Bytes body)
	    : attribute_(attribute), arch_(arch), cursor_(body)
	{
		sample_.in_user_mode = (misc & misc_mode) == misc_user;
	}

	std::optional<PerfSample> parse()
	{
		fixed_parts();
		counts_and_chains();
		if (has(PERF_SAMPLE_REGS_USER))
			registers();
		if (has(PERF_SAMPLE_STACK_USER))
			stack();
		if (!cursor_.ok())
			return std::nullopt;
		if (frame_)
			sample_.registers = std::make_shared<const Unfinished>(std::move(*frame_));
		return std::move(sample_);
	}

private:
	bool has(std::uint64_t part) const { return attribute_.sample_type & part; }
	void skip_if(std::uint64_t part)
	{
		if (has(part))
			cursor_.skip(8);
	}
	void fixed_parts();
	void counts_and_chains();
	void registers();
	void stack();

	const Attribute& attribute_;
	const Arch arch_;
	ByteCursor cursor_;
	PerfSample sample_;
	std::optional<Unfinished> frame_;
};

void Parser::fixed_parts()
{
	skip_if(PERF_SAMPLE_IDENTIFIER);
	if (has(PERF_SAMPLE_IP))
		sample_.ip = cursor_.u64();
	if (has(PERF_SAMPLE_TID)) {
		sample_.pid = cursor_.u32();
		sample_.tid = cursor_.u32();
	}
	if (has(PERF_SAMPLE_TIME))
		sample_.time_ns = cursor_.u64();
	skip_if(PERF_SAMPLE_ADDR);
	skip_if(PERF_SAMPLE_ID);
	skip_if(PERF_SAMPLE_STREAM_ID);
	if (has(PERF_SAMPLE_CPU)) {
		sample_.cpu = cursor_.u32();
		cursor_.skip(4);
	}
	if (has(PERF_SAMPLE_PERIOD))
		sample_.period = cursor_.u64();
	else if (!attribute_.is_frequency)
		sample_.period = attribute_.rate;
}

void Parser::counts_and_chains()
{
	if (has(PERF_SAMPLE_READ))
		skip_counts(attribute_, cursor_);
	if (has(PERF_SAMPLE_CALLCHAIN)) {
		Chain chain = chain_at(cursor_, !sample_.in_user_mode);
		sample_.kernel_chain = std::move(chain.kernel);
		sample_.user_chain = std::move(chain.user);
		sample_.cookie = chain.cookie;
	}
	if (has(PERF_SAMPLE_RAW))
		cursor_.skip(cursor_.u32());
	if (has(PERF_SAMPLE_BRANCH_STACK))
		skip_branches(attribute_, cursor_);
}

void Parser::registers()
{
	const std::uint64_t abi = cursor_.u64();
	sample_.has_registers = true;
	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	frame_ = first_frame(abi == PERF_SAMPLE_REGS_ABI_32 ? compat_of(arch_) : arch_, attribute_.user_registers,
			     cursor_);
}

// All the room that was asked for, and how much of it is filled.
void Parser::stack()
{
	const std::uint64_t room = cursor_.u64();
	if (!room)
		return;
	const Bytes bytes = cursor_.take(room);
	const std::uint64_t filled = cursor_.u64();
	if (filled > room)
		cursor_.fail();
	if (cursor_.ok() && frame_)
		frame_->stack = StackBytes({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(filled)});
}

} // namespace

Chain chain_at(ByteCursor& cursor, bool in_kernel)
{
	Chain chain;
	const std::uint64_t number = cursor.u64();
	if (number > cursor.left() / sizeof(std::uint64_t))
		cursor.fail();
	std::vector<std::uint64_t>* to = in_kernel ? &chain.kernel : &chain.user;
	for (std::uint64_t i = 0; i < number && cursor.ok(); i++) {
		const std::uint64_t address = cursor.u64();
		if (address == context_user_deferred) {
			to = nullptr;
			if (++i < number)
				chain.cookie = cursor.u64();
		} else if (address >= context_first) {
			to = address == context_kernel ? &chain.kernel
			     : address == context_user ? &chain.user
						       : nullptr;
		} else if (to) {
			to->push_back(address);
		}
	}
	return chain;
}

std::optional<PerfSample> sample_in(const Attribute& attribute, Arch arch, std::uint16_t misc, Bytes body)
{
	return Parser(attribute, arch, misc, body).parse();
}

} // namespace uwind::perf_data
