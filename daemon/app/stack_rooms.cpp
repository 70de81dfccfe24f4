// SPDX-License-Identifier: GPL-2.0
// How much there is for the stacks of processes' first threads.
#include "app/stack_rooms.h"

namespace uwind {

void StackRooms::measure(Index index, std::uint64_t stack_bytes, ReportProcess& process)
{
	const auto [deepest, is_first] = deepest_.try_emplace(index, stack_bytes);
	if (!is_first && stack_bytes <= deepest->second)
		return;
	deepest->second = stack_bytes;
	const auto facts = processes_.describe(process.pid);
	const auto room = processes_.stack_room(process.pid);
	if (facts && room && started_at(*facts, process.start_time_ns) && facts->exe == process.exe)
		process.stack = *room;
}

} // namespace uwind
