/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Plain steps (plain.h) that a walk takes by itself.
 */
#ifndef UW_ALONE_H
#define UW_ALONE_H

#include "plain_rule.h"

#define UW_ALONE_BURST 32u           /* steps for which user memory is held open */
#define UW_ALONE_SIGHT 4u            /* steps of a trail that are looked at before it is followed */
#define UW_ALONE_REACH 0xf0000000ull /* bytes: no frame of those is longer */

struct uw_port;

/*
 * Steps from at, by the cache: at most so many; one if at's pc is exact; as far as the walk's trail if it meets that.
 * The port vouches for the mapping of the first one. false: not even one, or the stack has ended.
 */
bool uw_alone_steps(struct uw_walk *walk, struct uw_port *port, struct uw_plain_state *at, u32 most);

#endif
