/* SPDX-License-Identifier: GPL-2.0 */
/*
 * In test builds (stall.h), each walk can be taken again without what earlier ones have left, and has to find
 * the same. In any other build nothing of it is left.
 */
#ifndef UW_AGAIN_H
#define UW_AGAIN_H

struct uw_port;
struct uw_regs;
struct uw_walk;

#ifdef UWIND_STALL
/* begun: the registers of that walk, which has ended. Any context that walks. */
void uw_again_check(const struct uw_regs *begun, struct uw_walk *walk, const struct uw_port *port);
#else
static inline void uw_again_check(const struct uw_regs *begun, struct uw_walk *walk, const struct uw_port *port)
{
}
#endif

#endif
