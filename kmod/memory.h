/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a walk may read of current's memory.
 */
#ifndef UW_MEMORY_H
#define UW_MEMORY_H

#include <linux/types.h>

#include "core/types.h"

struct uw_port;

/* Begin a walk of current. Makes current->mm's space if there is none yet. */
void uw_memory_begin(struct uw_port *port, enum uw_arch arch, u64 sp);

#endif
