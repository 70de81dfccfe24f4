/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From notes to messages.
 */
#ifndef UW_NOTE_SENDER_H
#define UW_NOTE_SENDER_H

#include <linux/types.h>

struct uw_batch;
struct uw_ring;

/*
 * Append what the ring has, at most so many notes, unless somebody else does already. Task context. Waits for nobody.
 * Returns how many were lost for want of memory.
 */
u32 uw_notes_send(struct uw_ring *ring, struct uw_batch *batch, u32 most);

#endif
