/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The cross-check of a walk with a shadow stack: the return addresses, and nothing else,
 * once more, in memory that only calls and returns write (arm64: FEAT_GCS; the kernel's
 * Documentation/arch/arm64/gcs.rst).
 */
#ifndef UW_SHADOW_H
#define UW_SHADOW_H

#include "walk.h"

/*
 * innermost: address of the last return address that was put there, when the registers
 * were those that the walk began with. Reads at most one word for each frame, and one
 * more. Frames from the first on whose return address is another there are dropped, and
 * the stop is SHADOW_STACK; so it is if a complete stack has callers there that the walk
 * has not seen. Returns how many return addresses are the same.
 */
u32 uw_shadow_check(struct uw_walk *walk, struct uw_port *port, u64 innermost);

#endif
