/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Plain steps: what nearly every frame's rule says, remembered by its pc, and a loop that
 * does nothing else.
 *
 * A rule is plain if the CFA is SP or FP and a number, the return address is in memory, and
 * the caller's FP is the same, in memory, or lost; or if it ends the stack at a return address:
 * see uw_plain_remember(). A step that is not as easy as that (an address outside the mapping
 * that was read last, a return address of 0, a CFA below SP, …) is left to the general one, which
 * begins where the last plain step has ended. So a walk with plain steps finds what one without
 * them finds.
 *
 * Only for a walk with a cache (walk->plain). The caller checks that, so that a walk without one
 * does not pay for calls.
 */
#ifndef UW_PLAIN_H
#define UW_PLAIN_H

#include "plain_rule.h"
#include "walk_types.h"

#define UW_PLAIN_FRAMES 64u /* between two looks at the world: see uw_port_rest() */

struct uw_port;

/*
 * What uw_port_find() has found for the frame at walk->regs.pc, if the port lets it be remembered and it is plain.
 * Returns whether it is: the step can then be taken as a plain one, and the run before it goes on (trail.h).
 */
bool uw_plain_remember(struct uw_walk *walk, struct uw_port *port, const struct uw_found *found, bool exact);

/*
 * Steps from walk->regs as far as they are plain and known, to the next number of frames that
 * is a multiple of UW_PLAIN_FRAMES, along the walk's trail where it meets it. exact: the first pc
 * is. Returns whether there were any; then pc is a return address, and *method says how it was
 * found; or the stack has ended, and walk->stop says why.
 */
bool uw_plain_steps(struct uw_walk *walk, struct uw_port *port, bool exact, u8 *method);

#endif
