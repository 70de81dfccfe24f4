// SPDX-License-Identifier: GPL-2.0
// Rows as a draft of the core: the layouts are the same.
#include "tables/module_view.h"

extern "C" {
#include "table.h"
}

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace uwind {
namespace {

static_assert(sizeof(Row) == sizeof(uw_draft_row) && sizeof(Rule) == sizeof(uw_rule));
static_assert(offsetof(Rule, cfa_off) == offsetof(uw_rule, cfa_off));
static_assert(offsetof(Rule, fp_off) == offsetof(uw_rule, fp_off));
static_assert(unsigned(Arch::x86_64) == UW_ARCH_X86_64 && unsigned(Arch::arm64) == UW_ARCH_ARM64);
static_assert(unsigned(Arch::i386) == UW_ARCH_I386 && unsigned(Arch::arm) == UW_ARCH_ARM);

class Draft {
public:
	explicit Draft(const TableRows& table) : rows_(table.rows.size()), rules_(table.rules.size())
	{
		for (std::size_t i = 0; i < rows_.size(); i++)
			rows_[i] = {table.rows[i].start, table.rows[i].rule};
		if (!rules_.empty())
			std::memcpy(rules_.data(), table.rules.data(), rules_.size() * sizeof(Rule));
		draft.rows = rows_.data();
		draft.rules = rules_.data();
		draft.nr_rows = draft.max_rows = static_cast<std::uint32_t>(rows_.size());
		draft.nr_rules = draft.max_rules = static_cast<std::uint32_t>(rules_.size());
	}
	Draft(const Draft&) = delete;

	uw_draft draft{};

private:
	std::vector<uw_draft_row> rows_;
	std::vector<uw_rule> rules_;
};

} // namespace

Status check_rows(const TableRows& table, Arch arch)
{
	const Draft rows(table);
	uw_reject reject{};
	if (!uw_draft_check(&rows.draft, static_cast<uw_arch>(arch), &reject))
		return Nothing{};
	return Error{EINVAL, std::string(reject.why ? reject.why : "refused") + " (number " +
				     std::to_string(reject.offset) + ")"};
}

std::uint64_t module_bytes(const TableRows& table)
{
	const Draft rows(table);
	return table.rows.empty() ? 0 : uw_table_form_of(&rows.draft).bytes;
}

} // namespace uwind
