/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a walk may read of current's memory.
 */
#ifndef UW_MEMORY_H
#define UW_MEMORY_H

#include <linux/types.h>

#include "core/types.h"

struct uw_port;

/*
 * Begin a walk of current. Makes current->mm's space if there is none yet, unless
 * the walk is atomic: it then never sleeps, and reads only what is resident.
 */
void uw_memory_begin(struct uw_port *port, enum uw_arch arch, u64 sp, bool atomic);

/*
 * Lock current->mm to look at its mappings: 0; -EINTR: killed; -EAGAIN: others have it,
 * and the walk's tries are used up (an atomic one has a single try): port->busy is set.
 */
int uw_memory_lock(struct uw_port *port);

/*
 * After a walk that may sleep: bytes from address upwards, in the mapping that it lies in, that may be read, if they are
 * resident.
 */
u64 uw_memory_readable(struct uw_port *port, u64 address);

#endif
