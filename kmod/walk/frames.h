/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room for the frames of walks. A CPU keeps what its walks use one after the other: room for UW_USUAL_FRAMES, with
 * which each walk begins, and, once one was deeper, or anyone has wanted more than UWIND_DEFAULT_FRAMES, for those.
 */
#ifndef UW_FRAMES_H
#define UW_FRAMES_H

#include <linux/types.h>

#include "uwind.h"

#define UW_USUAL_FRAMES  128u
#define UW_ATOMIC_FRAMES 256u /* of a walk that is not preempted */

struct uw_frame;
struct uw_walk;

/* The CPU's room for UW_USUAL_FRAMES, unless a walk that sleeps has it. NULL: no memory. */
struct uw_frame *uw_frames_take(void);

/* The same. NULL: it is in use. This asks no allocator. */
struct uw_frame *uw_frames_take_spare(void);

/*
 * A walk has used up UW_USUAL_FRAMES: it goes on in room for as many as it may have (most_frames). atomic: what the
 * CPU has or none, and for UW_ATOMIC_FRAMES. Without effect if there is no memory, or it has been done.
 */
void uw_frames_grow(struct uw_walk *walk, bool atomic);

/* What uw_frames_give() wants to know of a walk's frames. */
u32 uw_frames_room(const struct uw_walk *walk);
void uw_frames_give(struct uw_frame *frames, u32 room);

/* Each CPU has room for walks of so many. May sleep. */
int uw_frames_prepare(u32 most);

/* Nobody walks any more. */
void uw_frames_exit(void);

#endif
