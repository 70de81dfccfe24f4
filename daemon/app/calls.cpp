// SPDX-License-Identifier: GPL-2.0
// Names of the functions of the kernel that were called.
#include "app/calls.h"

#include <map>

namespace uwind {
namespace {

ReportFunction function_at(std::uint64_t address, const std::optional<KernelName>& name)
{
	ReportFunction function;
	function.address = address - (name ? name->offset : 0);
	if (name) {
		function.name = name->symbol;
		function.module = name->module;
	}
	return function;
}

// Of each address, the index of its function.
std::vector<Index> add_functions(const std::vector<std::uint64_t>& addresses,
				 std::span<const std::optional<KernelName>> found, Report& report)
{
	std::map<std::uint64_t, Index> known;
	std::vector<Index> indices;
	for (std::size_t i = 0; i < addresses.size(); i++) {
		ReportFunction function = function_at(addresses[i], found[i]);
		const auto [one, is_new] =
			known.try_emplace(function.address, static_cast<Index>(report.functions.size()));
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

void name_calls(std::vector<ReportCall> calls, const std::vector<std::uint64_t>& addresses,
		std::span<const std::optional<KernelName>> found, KernelNames& names, Report& report)
{
	report.calls = std::move(calls);
	if (addresses.empty())
		return;
	const auto indices = add_functions(addresses, found, report);
	for (ReportCall& call : report.calls)
		call.function = indices[call.function];
	add_signatures(names, report.functions);
}

} // namespace uwind
