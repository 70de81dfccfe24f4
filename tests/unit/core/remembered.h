// SPDX-License-Identifier: GPL-2.0
// A walk with what earlier ones have left (plain steps, a trail) finds what one without it finds.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

extern "C" {
#include "plain.h"
#include "trail.h"
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

// What a CPU remembers of one thread.
struct Memory {
	std::vector<uw_plain> plain = std::vector<uw_plain>(UW_PLAIN_SLOTS);
	std::unique_ptr<uw_trail> trail = std::make_unique<uw_trail>();
	std::unique_ptr<uw_along> along = std::make_unique<uw_along>();
	bool has_trail = true;

	void lend(uw_walk& walk)
	{
		along->trail = trail.get();
		along->ids_of = 1;
		walk.plain = plain.data();
		walk.along = has_trail ? along.get() : nullptr;
	}
};

// A walk that is begun like another one, with frames of its own.
struct Again {
	Again(const uw_walk& begun, const uw_port& port, Memory* memory)
	    : walk(begun), frames(begun.max_frames), port_(port)
	{
		walk.frames = frames.data();
		walk.plain = nullptr;
		walk.along = nullptr;
		port_.key = 7;
		if (memory)
			memory->lend(walk);
		uw_walk_run(&walk, &port_);
		for (u32 i = 0; i < walk.nr_frames; i++)
			ids.push_back(uw_walk_id(&walk, i));
		uw_walk_fill(&walk);
	}

	bool same_as(const uw_walk& other) const
	{
		return walk.stop == other.stop && same_frames(walk, other) && same_registers(walk.regs, other.regs);
	}

	uw_walk walk;
	std::vector<uw_frame> frames;
	std::vector<u32> ids; // of the frames

private:
	uw_port port_;
};

// Frames with the same id name the same frames, out to the end.
inline bool ids_are_true(const Again& now, const Again& before)
{
	for (u32 i = 0; i < now.ids.size(); i++)
		for (u32 j = 0; now.ids[i] && j < before.ids.size(); j++) {
			if (before.ids[j] != now.ids[i])
				continue;
			uw_walk inner = now.walk, outer = before.walk;
			inner.frames += i;
			inner.nr_frames -= i;
			outer.frames += j;
			outer.nr_frames -= j;
			if (inner.stop != outer.stop || !same_frames(inner, outer))
				return false;
		}
	return true;
}

// The world after a word of it has taken the value of another one: mostly what a stack holds, in the wrong place.
class Changed {
public:
	Changed(const uw_port& port, u32 nth) : slices_(port.slices, port.slices + port.nr_slices), port(port)
	{
		const uw_port_slice& slice = slices_[nth % slices_.size()];
		const u64 words = slice.bytes / port.word_bytes;
		bytes_.assign(slice.data, slice.data + slice.bytes);
		if (words)
			std::memcpy(&bytes_[nth * 7 % words * port.word_bytes],
				    slice.data + nth * 31 % words * port.word_bytes, port.word_bytes);
		slices_[nth % slices_.size()].data = bytes_.data();
		this->port.slices = slices_.data();
	}

private:
	std::vector<uw_port_slice> slices_;
	std::vector<u8> bytes_;

public:
	uw_port port;
};

// Walks a world of its own, with an empty memory and a full one; then with what is left of that in worlds that differ
// by a word.
inline bool same_with(Memory& memory, const uw_walk& begun, const uw_walk& done, const uw_port& port)
{
	const Again cold(begun, port, &memory), warm(begun, port, &memory), along(begun, port, &memory);
	bool same = cold.same_as(done) && warm.same_as(done) && along.same_as(done) && ids_are_true(along, warm);
	for (u32 nth = 0; port.nr_slices && nth < 12; nth++) {
		const Changed world(port, nth);
		const Again fresh(begun, world.port, nullptr), again(begun, world.port, &memory);
		same &= again.same_as(fresh.walk) && ids_are_true(again, warm);
	}
	return same;
}

// begun: before its walk; done: the same, walked without a memory. Also for a memory that has plain steps only.
inline bool same_when_remembered(const uw_walk& begun, const uw_walk& done, const uw_port& port)
{
	Memory memory, steps;
	steps.has_trail = false;
	return same_with(memory, begun, done, port) && same_with(steps, begun, done, port);
}

} // namespace core
