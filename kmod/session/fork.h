/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What children inherit: their parent's bound ranges and sessions.
 */
#ifndef UW_FORK_H
#define UW_FORK_H

int uw_fork_init(void);
void uw_fork_exit(void);

#endif
