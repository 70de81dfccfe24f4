/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters since the module was loaded. This only counts: device/status.c gathers.
 */
#ifndef UW_STATS_H
#define UW_STATS_H

#include <linux/percpu.h>

#include "uwind.h"

/* Sums of one CPU, which alone adds to them, in any context. Sessions have the same ones of their own. */
struct uw_counts {
	u64 requested;
	u64 answered;
	u64 lost[UWIND_NR_LOSSES];
	u64 stops[UWIND_NR_STOPS];
	u64 periods_missed; /* triggers that did not come: not requested */
	u64 throttled;
	u64 own; /* events that were uwind's own doing: not requested */
};

/* Any context. */
void uw_stats_requested(struct uw_counts __percpu *session, u64 weight);
void uw_stats_lost(struct uw_counts __percpu *session, enum uwind_loss loss, u64 weight);
void uw_stats_answered(struct uw_counts __percpu *session, u8 stop, u64 weight);
/* A batch was refused: answers that were counted are lost after all. */
void uw_stats_dropped(struct uw_counts __percpu *session, u64 weight);
/* A counter was late by so many periods; it was stopped until the next tick. */
void uw_stats_missed(struct uw_counts __percpu *session, u64 periods);
void uw_stats_throttled(struct uw_counts __percpu *session);
void uw_stats_own(struct uw_counts __percpu *session);
void uw_stats_counter_failed(void);
/* A session ended with these open: pending for it, lost for the module. */
void uw_stats_session_gone(u64 weight);
void uw_stats_walk(u32 nr_frames);
void uw_stats_shadow_checked(void);
void uw_stats_section_refused(void);
void uw_stats_child_missed(void);

void uw_stats_sum(struct uw_counts *sum, const struct uw_counts __percpu *counts);
/* The members of stats that are counted here. */
void uw_stats_fill(struct uwind_stats *stats);

#endif
