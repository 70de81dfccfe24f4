// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Every call leaves its return address on the shadow stack at once, and every return
 * takes it away, so it holds for any instruction, also where a frame is only half made.
 *
 * What a signal interrupts has not called. There the kernel leaves a mark instead, the
 * mark's own address without its lower 12 bits, which goes with the signal's frame.
 *
 * 0 ends a shadow stack. A program that has switched it on for itself has frames below.
 */
#include "shadow.h"
#include "uw_port_walk.h"

#define ENTRY_BYTES       8u
#define MARK_IGNORED_BITS 0xfffu

static bool is_signal_mark(u64 entry, u64 address)
{
	return entry == (address & ~(u64)MARK_IGNORED_BITS);
}

/* The stack ends elsewhere than the frames' ids say. */
static void contradict(struct uw_walk *walk)
{
	walk->stop = UW_STOP_SHADOW_STACK;
	walk->nr_same = 0;
	walk->nr_ids = 0;
	walk->ids_of = 0;
}

#define UW_COMPLETE(name, json, complete) complete,
static const bool is_complete[] = { UWIND_STOP_LIST(UW_COMPLETE) };

u32 uw_shadow_check(struct uw_walk *walk, struct uw_port *port, u64 innermost)
{
	u64 address = innermost, entry;
	u32 i, same = 0;

	uw_walk_fill(walk);
	for (i = 1; i < walk->nr_frames; i++) {
		if (uw_port_word(port, address, &entry) || !entry)
			return same;
		if (walk->frames[i].method == UW_METHOD_SIGFRAME) {
			if (is_signal_mark(entry, address))
				address += ENTRY_BYTES;
		} else if (walk->frames[i].pc == entry) {
			address += ENTRY_BYTES;
			same++;
		} else {
			walk->nr_frames = i;
			contradict(walk);
			return same;
		}
	}
	if (is_complete[walk->stop] && !uw_port_word(port, address, &entry) && entry)
		contradict(walk);
	return same;
}
