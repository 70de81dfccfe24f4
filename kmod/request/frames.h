/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room for the frames of walks. A CPU keeps what its walks use one after the other: room for
 * UWIND_DEFAULT_FRAMES, and, once anyone has wanted more, for UWIND_MAX_FRAMES.
 */
#ifndef UW_FRAMES_H
#define UW_FRAMES_H

#include <linux/types.h>

#include "uwind.h"

struct uw_frame;

/* Room for so many, UWIND_MAX_FRAMES at most: the CPU's, unless a walk that sleeps has it. NULL: no memory. */
struct uw_frame *uw_frames_take(u32 nr);

/* The CPU's for UWIND_DEFAULT_FRAMES. NULL: it is in use. This asks no allocator. */
struct uw_frame *uw_frames_take_spare(void);

/* nr: as it was taken. */
void uw_frames_give(struct uw_frame *frames, u32 nr);

/* Each CPU has room for so many. May sleep. */
int uw_frames_prepare(u32 nr);

/* Nobody walks any more. */
void uw_frames_exit(void);

#endif
