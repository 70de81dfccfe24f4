// SPDX-License-Identifier: GPL-2.0
// A walk with remembered plain steps finds what one without them finds.
#pragma once

#include <cstring>
#include <vector>

extern "C" {
#include "plain.h"
#include "uw_port_walk.h"
#include "walk.h"
}

namespace core {

// What of a result anyone may look at.
inline bool same_registers(const uw_regs& a, const uw_regs& b)
{
	bool same = a.pc == b.pc && a.known == b.known && a.thumb == b.thumb;
	for (u32 i = 0; i < UW_NR_REGS; i++)
		if (a.known >> i & 1)
			same &= a.r[i] == b.r[i] && (a.on_stack >> i & 1) == (b.on_stack >> i & 1);
	return same;
}

inline bool same_frames(const uw_walk& a, const uw_walk& b)
{
	bool same = a.nr_frames == b.nr_frames;
	for (u32 i = 0; same && i < a.nr_frames; i++) {
		const uw_frame &x = a.frames[i], &y = b.frames[i];
		same = x.pc == y.pc && x.offset == y.offset && x.file == y.file && x.stack_bytes == y.stack_bytes &&
		       x.method == y.method;
	}
	return same;
}

// begun: before its walk; done: the same, walked without them. Walks a world of its own, with an empty cache and a full
// one.
inline bool same_when_remembered(const uw_walk& begun, const uw_walk& done, uw_port port)
{
	std::vector<uw_frame> frames(begun.max_frames);
	std::vector<uw_plain> plain(UW_PLAIN_SLOTS);
	const uw_port fresh = port;
	bool same = true;
	for (int i = 0; i < 2; i++) {
		uw_walk walk = begun;
		walk.frames = frames.data();
		walk.plain = plain.data();
		port = fresh;
		port.key = 7;
		uw_walk_run(&walk, &port);
		same &= walk.stop == done.stop && same_frames(walk, done) && same_registers(walk.regs, done.regs) &&
			port.rests <= fresh.rests + begun.max_frames;
	}
	return same;
}

} // namespace core
