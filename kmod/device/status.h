/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the whole module says about itself, for UWIND_IOC_STATS.
 */
#ifndef UW_STATUS_H
#define UW_STATUS_H

struct uwind_stats;

/* All members; those that nobody counts are 0. */
void uw_status_fill(struct uwind_stats *stats);

#endif
