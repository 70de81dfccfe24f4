// SPDX-License-Identifier: GPL-2.0
// What a report says that cannot be, though it has the right form.
#include "export/validity.h"

#include <algorithm>

namespace uwind {
namespace {

class Flaws {
public:
	explicit Flaws(const Report& report) : report_(report)
	{
		for (const ReportStack& stack : report.stacks) {
			has_kernel_.push_back(has_frames(stack, true));
			has_user_.push_back(has_frames(stack, false));
		}
	}

	std::vector<std::string> find()
	{
		check_balance();
		check_each("frames", report_.frames, [](const ReportFrame& frame) { return flaw_of(frame); });
		check_each("stacks", report_.stacks, [](const ReportStack& stack) { return flaw_of(stack); });
		check_each("samples", report_.samples, [this](const ReportSample& sample) { return flaw_of(sample); });
		return std::move(flaws_);
	}

private:
	// nullptr: none.
	static const char* flaw_of(const ReportFrame& frame)
	{
		return frame.symbol && frame.symbol_offset > frame.address ? "its function begins below address 0"
									   : nullptr;
	}

	static const char* flaw_of(const ReportStack& stack)
	{
		if (stack.stop == Stop::NONE)
			return "ended without a reason";
		if (!stack.methods.empty() && stack.methods.front() != Method::PC)
			return "its innermost frame was not found by pc";
		return nullptr;
	}

	const char* flaw_of(const ReportSample& sample) const
	{
		if (!sample.weight)
			return "has no weight";
		if (sample.lost && sample.user_stack)
			return "has a stack, and lost it";
		if (sample.kernel_stack && has_user_[*sample.kernel_stack])
			return "its kernel_stack has frames of user space";
		if (sample.user_stack && has_kernel_[*sample.user_stack])
			return "its user_stack has frames of the kernel";
		return nullptr;
	}

	bool has_frames(const ReportStack& stack, bool kernel) const
	{
		return std::ranges::any_of(stack.frames,
					   [&](Index frame) { return report_.frames[frame].kernel == kernel; });
	}

	void check_balance()
	{
		const ReportCounters& counters = report_.counters;
		std::uint64_t known = counters.answered + counters.pending;
		for (const auto& [cause, count] : counters.lost)
			known += count;
		if (known != counters.requested)
			flaws_.push_back("counters: " + std::to_string(counters.requested) + " requested, but " +
					 std::to_string(known) + " answered, lost and pending");
	}

	template <typename List, typename Flaw>
	void check_each(const char* list, const List& entries, Flaw flaw)
	{
		for (std::size_t i = 0; i < entries.size() && flaws_.size() < most_flaws; i++)
			if (const char* text = flaw(entries[i]))
				flaws_.push_back(std::string(list) + "[" + std::to_string(i) + "]: " + text);
	}

	const Report& report_;
	std::vector<bool> has_kernel_, has_user_; // frames, by stack
	std::vector<std::string> flaws_;
};

} // namespace

std::vector<std::string> flaws_of(const Report& report)
{
	return Flaws(report).find();
}

} // namespace uwind
