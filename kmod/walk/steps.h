/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The plain steps that a CPU's walks remember (core/plain.h).
 */
#ifndef UW_STEPS_H
#define UW_STEPS_H

#include "core/plain.h"

struct uw_port;
struct uw_range;

/*
 * Take the CPU's steps for one walk: nobody else reads or writes them meanwhile. Sets the port's key.
 * NULL: another walk that sleeps has them, or there are none.
 */
struct uw_plain *uw_steps_take(struct uw_port *port);
void uw_steps_give(struct uw_port *port);

/* A mapping of code has been found true in this walk. */
void uw_steps_cover(struct uw_port *port, const struct uw_range *range);

/* One for each CPU. -ENOMEM. May sleep. */
int uw_steps_prepare(void);
void uw_steps_exit(void);

#endif
