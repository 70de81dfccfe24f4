// SPDX-License-Identifier: GPL-2.0
/*
 * What calls of the kernel's functions and their returns have in common.
 *
 * Any function may be traced, those too that are called as a call is noted. So a CPU notes one at a time in each context: a
 * task's, a softirq's, an interrupt's and an NMI's. What comes in between is our own doing, and is counted as that.
 */
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "stats.h"
#include "trigger/function.h"

/* Bit n: it notes a call in context n. Each CPU changes its own; what interrupts a change leaves it as it was. */
static DEFINE_PER_CPU(unsigned long, busy);

static unsigned long context_bit(void)
{
	if (in_nmi())
		return BIT(3);
	if (in_hardirq())
		return BIT(2);
	return in_serving_softirq() ? BIT(1) : BIT(0);
}

/* false: this is called by what notes a call. */
static bool busy_begin(void)
{
	unsigned long bit = context_bit();

	if (this_cpu_read(busy) & bit)
		return false;
	this_cpu_or(busy, bit);
	return true;
}

static void busy_end(void)
{
	this_cpu_and(busy, ~context_bit());
}

/* Code that runs while RCU does not watch may use nothing that it protects. */
static bool function_begin(struct uw_function *function)
{
	const struct uw_trigger_owner *owner = function->base.owner;

	if (!rcu_is_watching()) {
		uw_stats_missed(owner->counts, 1);
		return false;
	}
	if (!busy_begin()) {
		uw_stats_own(owner->counts);
		return false;
	}
	if (owner->takes(owner, current))
		return true;
	busy_end();
	return false;
}

bool uw_function_begin(struct uw_function *function)
{
	if (!READ_ONCE(function->enabled))
		return false;
	preempt_disable_notrace();
	if (function_begin(function))
		return true;
	preempt_enable_notrace();
	return false;
}

void uw_function_end(void)
{
	busy_end();
	preempt_enable_notrace();
}

void uw_function_fire(struct uw_function *function, struct pt_regs *regs, const struct uwind_call *call)
{
	struct uw_trigger_owner *owner = function->base.owner;
	const struct uw_firing firing = { .task = current, .regs = regs, .period = function->period, .call = call };

	if (uw_trigger_filter(owner, call, sizeof(*call)) &&
	    this_cpu_inc_return(*function->seen) % function->period == 0)
		owner->fired(owner, &firing);
}

void uw_function_enable(struct uw_trigger *trigger)
{
	WRITE_ONCE(container_of(trigger, struct uw_function, base)->enabled, true);
}

void uw_function_disable(struct uw_trigger *trigger)
{
	WRITE_ONCE(container_of(trigger, struct uw_function, base)->enabled, false);
}

unsigned long *uw_function_addresses(const struct uwind_counter *counter)
{
	return vmemdup_user(u64_to_user_ptr(counter->config1), counter->config2 * sizeof(u64));
}

int uw_function_init(struct uw_function *function, struct uw_trigger_owner *owner, const struct uw_trigger_ops *ops,
		     const struct uwind_counter *counter)
{
	function->base.ops = ops;
	function->base.owner = owner;
	function->period = counter->rate;
	function->seen = alloc_percpu(u64);
	return function->seen ? 0 : -ENOMEM;
}

void uw_function_deinit(struct uw_function *function)
{
	free_percpu(function->seen);
}

struct uw_trigger *uw_trigger_function_create(struct uw_trigger_owner *owner, const struct uwind_counter *counter)
{
	if (counter->config & UWIND_CALL_RETURN)
		return uw_trigger_return_create(owner, counter);
	return uw_trigger_call_create(owner, counter);
}
