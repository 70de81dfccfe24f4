/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Callers: other modules that ask for stacks of their own. uwind_kernel.h is what they see.
 */
#ifndef UW_DEFERRED_H
#define UW_DEFERRED_H

#include <linux/atomic.h>

#include "uwind_kernel.h"

struct uw_answer;

/* Answer what a caller is owed, if it is still there. Task context. */
void uw_deferred_answer(unsigned int caller, atomic64_t *owed, const struct uw_answer *answer);

#endif
