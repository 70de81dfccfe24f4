// SPDX-License-Identifier: GPL-2.0
// Names of the functions of the kernel that were called.
#include "app/calls.h"

#include <map>

namespace uwind {
namespace {

ReportFunction function_at(std::uint64_t address, const std::optional<KernelTimeline::Name>& found)
{
	ReportFunction function;
	function.address = address;
	if (!found)
		return function;
	function.name = found->name.symbol;
	function.module = found->name.module;
	if (!function.name.empty())
		function.address -= found->name.offset;
	return function;
}

// Of each place, the index of its function. Those of two owners are two.
std::vector<Index> add_functions(const std::vector<RawFunction>& places, const KernelCode& code, Report& report)
{
	const auto found = kernel_names(places, code);
	std::map<RawFunction, Index> known;
	std::vector<Index> indices;
	for (std::size_t i = 0; i < places.size(); i++) {
		ReportFunction function = function_at(places[i].address, found[i]);
		const auto [one, is_new] = known.try_emplace({function.address, places[i].owner},
							     static_cast<Index>(report.functions.size()));
		if (is_new)
			report.functions.push_back(std::move(function));
		indices.push_back(one->second);
	}
	return indices;
}

void add_signatures(KernelNames& names, std::vector<ReportFunction>& functions)
{
	std::vector<KernelName> asked;
	asked.reserve(functions.size());
	for (const ReportFunction& function : functions)
		asked.push_back({function.name, 0, function.module});
	auto found = names.signatures(asked);
	for (std::size_t i = 0; i < functions.size() && i < found.size(); i++)
		functions[i].signature = std::move(found[i]);
}

} // namespace

void name_calls(std::vector<ReportCall> calls, const std::vector<RawFunction>& places, const KernelCode& code,
		Report& report)
{
	report.calls = std::move(calls);
	if (places.empty())
		return;
	const auto indices = add_functions(places, code, report);
	for (ReportCall& call : report.calls)
		call.function = indices[call.function];
	add_signatures(code.now, report.functions);
}

} // namespace uwind
