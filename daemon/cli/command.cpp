// SPDX-License-Identifier: GPL-2.0
// The command that follows "--".
#include "cli/command.h"

#include "cli/verbs.h"

namespace uwind {
namespace {

constexpr int command_not_found = 127; // as a shell says it

} // namespace

std::optional<int> prepare_command(const std::vector<std::string>& command, std::optional<Child>& child)
{
	if (command.empty())
		return std::nullopt;
	const auto program = find_program(command.front());
	if (!program) {
		complain(program.error());
		return command_not_found;
	}
	auto prepared = Child::prepare(*program, command);
	if (!prepared)
		return complain(prepared.error());
	child.emplace(std::move(*prepared));
	return std::nullopt;
}

} // namespace uwind
