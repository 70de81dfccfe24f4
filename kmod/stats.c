// SPDX-License-Identifier: GPL-2.0
/*
 * Counting: each event counts for its session and for the module.
 */
#include "stats.h"

static DEFINE_PER_CPU(struct uw_counts, module_counts);
static DEFINE_PER_CPU(u64, nr_frames_walked);
static DEFINE_PER_CPU(u64, nr_shadow_checked);
static atomic64_t sections_refused;
static atomic64_t children_missed;
static atomic64_t counters_failed;

static_assert(UWIND_NR_LOSSES <= ARRAY_SIZE(((struct uwind_stats *)0)->lost));
static_assert(UWIND_NR_STOPS <= ARRAY_SIZE(((struct uwind_stats *)0)->stops));

void uw_stats_requested(struct uw_counts __percpu *session, u64 weight)
{
	this_cpu_add(session->requested, weight);
	this_cpu_add(module_counts.requested, weight);
}

void uw_stats_lost(struct uw_counts __percpu *session, enum uwind_loss loss, u64 weight)
{
	this_cpu_add(session->lost[loss], weight);
	this_cpu_add(module_counts.lost[loss], weight);
}

void uw_stats_answered(struct uw_counts __percpu *session, u8 stop, u64 weight)
{
	this_cpu_add(session->answered, weight);
	this_cpu_add(session->stops[stop], weight);
	this_cpu_add(module_counts.answered, weight);
	this_cpu_add(module_counts.stops[stop], weight);
}

void uw_stats_dropped(struct uw_counts __percpu *session, u64 weight)
{
	preempt_disable(); /* uw_stats_sum() wants both on one CPU, in this order */
	this_cpu_sub(session->answered, weight);
	this_cpu_sub(module_counts.answered, weight);
	uw_stats_lost(session, UWIND_LOSS_DROPPED, weight);
	preempt_enable();
}

void uw_stats_missed(struct uw_counts __percpu *session, u64 periods)
{
	this_cpu_add(session->periods_missed, periods);
	this_cpu_add(module_counts.periods_missed, periods);
}

void uw_stats_throttled(struct uw_counts __percpu *session)
{
	this_cpu_inc(session->throttled);
	this_cpu_inc(module_counts.throttled);
}

void uw_stats_own(struct uw_counts __percpu *session)
{
	this_cpu_inc(session->own);
}

void uw_stats_counter_failed(void)
{
	atomic64_inc(&counters_failed);
}

void uw_stats_session_gone(u64 weight)
{
	this_cpu_add(module_counts.lost[UWIND_LOSS_SESSION_GONE], weight);
}

void uw_stats_walk(u32 nr_frames)
{
	this_cpu_add(nr_frames_walked, nr_frames);
}

void uw_stats_shadow_checked(void)
{
	this_cpu_inc(nr_shadow_checked);
}

void uw_stats_section_refused(void)
{
	atomic64_inc(&sections_refused);
}

void uw_stats_child_missed(void)
{
	atomic64_inc(&children_missed);
}

void uw_stats_sum(struct uw_counts *sum, const struct uw_counts __percpu *counts)
{
	int cpu, i;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		const struct uw_counts *one = per_cpu_ptr(counts, cpu);

		/* Before answered, which becomes less when an answer is lost after all. */
		for (i = 0; i < UWIND_NR_LOSSES; i++)
			sum->lost[i] += READ_ONCE(one->lost[i]);
		smp_rmb();
		sum->answered += READ_ONCE(one->answered);
		for (i = 0; i < UWIND_NR_STOPS; i++)
			sum->stops[i] += READ_ONCE(one->stops[i]);
		sum->periods_missed += READ_ONCE(one->periods_missed);
		sum->throttled += READ_ONCE(one->throttled);
		sum->own += READ_ONCE(one->own);
	}
	/* Last: whatever was counted above had been requested before. */
	smp_rmb();
	for_each_possible_cpu(cpu)
		sum->requested += READ_ONCE(per_cpu_ptr(counts, cpu)->requested);
}

void uw_stats_fill(struct uwind_stats *stats)
{
	struct uw_counts sum;
	int cpu;

	uw_stats_sum(&sum, &module_counts);
	stats->requested = sum.requested;
	stats->answered = sum.answered;
	memcpy(stats->lost, sum.lost, sizeof(sum.lost));
	memcpy(stats->stops, sum.stops, sizeof(sum.stops));
	for_each_possible_cpu(cpu) {
		stats->frames += per_cpu(nr_frames_walked, cpu);
		stats->shadow_checked += per_cpu(nr_shadow_checked, cpu);
	}
	stats->sections_refused = atomic64_read(&sections_refused);
	stats->children_missed = atomic64_read(&children_missed);
	stats->counters_failed = atomic64_read(&counters_failed);
	stats->periods_missed = sum.periods_missed;
	stats->throttled = sum.throttled;
}
