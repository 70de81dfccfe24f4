/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Callers: other modules that ask for stacks of their own. uwind_kernel.h is what they see.
 */
#ifndef UW_DEFERRED_H
#define UW_DEFERRED_H

/* Module init. */
int uw_deferred_setup(void);

#endif
