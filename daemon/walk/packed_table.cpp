// SPDX-License-Identifier: GPL-2.0
// A table as the walk looks it up: what the kernel module makes of the same content.
#include "walk/packed_table.h"

#include <bit>
#include <cerrno>
#include <cstring>

extern "C" {
#include "sframe.h"
}

namespace uwind {
namespace {

#ifdef __aarch64__
constexpr uw_arch native = UW_ARCH_ARM64;
#else
constexpr uw_arch native = UW_ARCH_X86_64;
#endif

using Packed = Result<std::shared_ptr<const PackedTable>>;

static_assert(sizeof(Row) == sizeof(uw_draft_row) && sizeof(Rule) == sizeof(uw_rule));
static_assert(sizeof(Segment) == sizeof(uw_segment));

Error broken(const char* why)
{
	return Error{EBADMSG, std::string("a table is broken: ") + why};
}

// The core does not change rows and rules of a draft that it packs.
Packed pack_rows(const TableRows& content)
{
	uw_draft draft{};
	draft.rows = reinterpret_cast<uw_draft_row*>(const_cast<Row*>(content.rows.data()));
	draft.rules = reinterpret_cast<uw_rule*>(const_cast<Rule*>(content.rules.data()));
	draft.nr_rows = draft.max_rows = static_cast<u32>(content.rows.size());
	draft.nr_rules = draft.max_rules = static_cast<u32>(content.rules.size());
	const auto arch = content.arch == Arch::none ? native : static_cast<uw_arch>(content.arch);
	uw_reject reject{};
	if (uw_draft_check(&draft, arch, &reject))
		return broken(reject.why);
	return std::make_shared<const PackedTable>(draft, content.method, arch);
}

std::uint32_t method_of(const uw_sframe& section)
{
	constexpr std::uint32_t methods[] = {0, UW_METHOD_SFRAME_V1, UW_METHOD_SFRAME_V2, UW_METHOD_SFRAME_V3};
	return section.version < std::size(methods) ? methods[section.version] : 0;
}

Packed pack_opened(uw_sframe& section)
{
	std::vector<uw_draft_row> rows(section.max_rows), order(section.nr_fdes);
	std::vector<uw_rule> rules(section.max_rules);
	std::vector<u32> hash(std::bit_ceil(2 * std::size_t(section.max_rules) + 2));
	uw_draft draft{};
	draft.rows = rows.data();
	draft.rules = rules.data();
	draft.hash = hash.data();
	draft.hash_mask = static_cast<u32>(hash.size() - 1);
	draft.max_rows = static_cast<u32>(rows.size());
	draft.max_rules = static_cast<u32>(rules.size());
	if (uw_sframe_lower(&section, &draft, order.data()))
		return broken(section.reject.why ? section.reject.why : "no function lies in a segment");
	return std::make_shared<const PackedTable>(draft, method_of(section), native);
}

Packed pack_section(const SframeSection& content)
{
	const uw_sframe_input input{content.bytes.data(),
				    content.bytes.size(),
				    content.address,
				    reinterpret_cast<const uw_segment*>(content.segments.data()),
				    static_cast<u32>(content.segments.size()),
				    native};
	uw_sframe section;
	if (uw_sframe_open(&section, &input))
		return broken(section.reject.why ? section.reject.why : "no SFrame section");
	return pack_opened(section);
}

} // namespace

PackedTable::PackedTable(const uw_draft& draft, std::uint32_t method, uw_arch arch) : method_(method), arch_(arch)
{
	const uw_table_form form = uw_table_form_of(&draft);
	memory_.resize((form.bytes + 7) / 8);
	uw_table_build(&table_, memory_.data(), &draft, &form);
}

Packed pack(const TableContent& content)
{
	if (const auto* rows = std::get_if<TableRows>(&content))
		return pack_rows(*rows);
	return pack_section(std::get<SframeSection>(content));
}

} // namespace uwind
