/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Frames as they leave the kernel: the code of uwind_words.h, a few bytes a frame.
 */
#ifndef UW_FRAME_CODE_H
#define UW_FRAME_CODE_H

#include "walk.h"

/* What one frame takes at most: lead, method, file, offset, pc, stack_bytes. */
#define UW_FRAME_CODE_BYTES (1 + 1 + 5 + 10 + 10 + 5)

/*
 * Write frames, innermost first, into the room bytes at code. Returns how many bytes
 * they take; if that is more than room, what was written is of no use.
 */
u32 uw_frame_code_write(u8 *code, u32 room, const struct uw_frame *frames, u32 nr);

#endif
