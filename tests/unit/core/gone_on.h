// SPDX-License-Identifier: GPL-2.0
// A walk that misses a table, and goes on when it is there.
#pragma once

#include "unit/core/remembered.h"

namespace core {

// The walk without that table has ended as one does whose frames would have been others with it: so that it is gone on
// with. A chain of frame pointers that has come to an end is not, nor one that has used all frames up.
inline bool is_known_to_lack(const uw_walk& poor, const uw_walk& walked)
{
	const bool complete = walked.stop == UW_STOP_OUTERMOST || walked.stop == UW_STOP_THREAD_START;
	const bool believed =
		poor.stop == UW_STOP_ZERO_FP || poor.stop == UW_STOP_ZERO_RA || poor.stop == UW_STOP_DEPTH;
	return !complete || believed || poor.stop == walked.stop || uw_stop_may_lack_table(poor.stop);
}

// The walk of the same state that has only now all tables of the port: where one without table late missed one.
inline bool same_without(const uw_walk& begun, const uw_walk& walked, uw_port port, u32 late)
{
	std::vector<uw_port_code> codes(port.code, port.code + port.nr_codes);
	codes[late].table = nullptr;
	std::vector<uw_frame> frames(begun.max_frames);
	uw_missed missed{};
	uw_walk walk{};
	walk.regs = begun.regs;
	walk.arch = begun.arch;
	walk.max_frames = begun.max_frames;
	walk.frames = frames.data();
	walk.missed = &missed;
	uw_port poor = port;
	poor.code = codes.data();
	uw_walk_run(&walk, &poor);
	if (!walk.missed || !missed.file)
		return true;
	if (!is_known_to_lack(walk, walked))
		return false;
	walk.missed = nullptr;
	uw_walk_go_on(&walk, &missed, &port);
	return walk.stop == walked.stop && same_frames(walk, walked);
}

// walked: what uw_walk_run() made of begun with this port. Whichever table comes late, the walk is the same in the end.
inline bool same_when_gone_on(const uw_walk& begun, const uw_walk& walked, const uw_port& port)
{
	if (port.fail_at || port.busy_at || port.killed_at || port.busy_at_look)
		return true; // they count what both walks ask
	for (u32 i = 0; i < port.nr_codes; i++)
		if (port.code[i].table && !same_without(begun, walked, port, i))
			return false;
	return true;
}

} // namespace core
