/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The plain steps that a CPU's walks remember (core/plain.h).
 */
#ifndef UW_STEPS_H
#define UW_STEPS_H

struct uw_port;
struct uw_range;
struct uw_walk;

/*
 * Take the CPU's steps for one walk: nobody else reads or writes them meanwhile. Sets walk->plain and ->along, and
 * the port's key. Without effect if another walk that sleeps has them, there are none, or they are switched off.
 */
void uw_steps_take(struct uw_port *port, struct uw_walk *walk);
/* Give them back. Nobody asks what the walk has left there (uw_walk_fill(), uw_walk_id()) any more. */
void uw_steps_give(struct uw_port *port);

/* A mapping of code has been found true in this walk. */
void uw_steps_cover(struct uw_port *port, const struct uw_range *range);

/* One for each CPU. -ENOMEM. May sleep. */
int uw_steps_prepare(void);
void uw_steps_exit(void);

#endif
