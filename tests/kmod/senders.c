// SPDX-License-Identifier: GPL-2.0
/*
 * On every CPU a thread fires triggers on the next one, in random intervals within a
 * factor of three, so that no phase of a program is spared. A trigger is an interrupt
 * from one CPU to another, a softirq that such an interrupt raises, or an NMI. One of a
 * kind is under way to a CPU at a time. On a slow machine they fire less often: else the
 * programs that they are to interrupt would not run.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include <asm/irq_regs.h>

#include "stress.h"

#define LONGEST_PAUSE_US 100000

struct trigger {
	call_single_data_t call;
	struct tasklet_struct tasklet;
};

static DEFINE_PER_CPU(struct trigger, triggers);
static DEFINE_PER_CPU(struct task_struct *, senders);
static unsigned int mean_us; /* 0: no trigger fires */
static bool with_softirq, with_irq, with_nmi;

static void in_softirq_hit(struct tasklet_struct *tasklet)
{
	hit(IN_SOFTIRQ, NULL);
}

static void in_irq_hit(void *data)
{
	struct trigger *trigger = data;

	if (with_irq)
		hit(IN_IRQ, get_irq_regs());
	if (with_softirq)
		tasklet_schedule(&trigger->tasklet);
}

static void nothing(void *unused)
{
}

/* More than a CPU can handle would all be left to ksoftirqd. */
static bool is_busy(unsigned int cpu)
{
	return test_bit(TASKLET_STATE_SCHED, &per_cpu_ptr(&triggers, cpu)->tasklet.state);
}

static bool sends_calls(void)
{
	return (with_irq && is_wanted(IN_IRQ)) || (with_softirq && is_wanted(IN_SOFTIRQ));
}

/*
 * Sleeps between triggers. How late it is then is what a wakeup costs here: about a fifth
 * of the time is spent on them, and what is left over is the programs'.
 */
static void rest(void)
{
	u64 begin = ktime_get_ns(), longest = mean_us * 3 / 2 * NSEC_PER_USEC, slept;

	usleep_range(mean_us / 2, mean_us * 3 / 2);
	slept = ktime_get_ns() - begin;
	if (slept > longest)
		fsleep(min_t(u64, 4 * (slept - longest) / NSEC_PER_USEC, LONGEST_PAUSE_US));
}

static int send(void *unused)
{
	unsigned int to = cpumask_next(raw_smp_processor_id(), cpu_online_mask);

	if (to >= nr_cpu_ids)
		to = cpumask_first(cpu_online_mask);
	while (!kthread_should_stop()) {
		rest();
		if (with_nmi && is_wanted(IN_NMI))
			nmi_send(to);
		if (sends_calls() && !is_busy(to)) /* -EBUSY: the last is under way */
			smp_call_function_single_async(to, &per_cpu_ptr(&triggers, to)->call);
	}
	return 0;
}

/* Whatever was started: nothing is under way when this is left. */
void senders_stop(void)
{
	int cpu;

	if (!mean_us)
		return;
	for_each_possible_cpu(cpu)
		if (per_cpu(senders, cpu))
			kthread_stop(per_cpu(senders, cpu));
	on_each_cpu(nothing, NULL, 1); /* calls come in the order they were sent */
	for_each_possible_cpu(cpu)
		tasklet_kill(&per_cpu_ptr(&triggers, cpu)->tasklet);
	if (with_nmi)
		nmi_stop();
}

/* Before ordinary programs: triggers fire however many of them there are. */
static int start_sender(int cpu)
{
	struct task_struct *sender = kthread_create(send, NULL, "stress/%d", cpu);

	if (IS_ERR(sender))
		return PTR_ERR(sender);
	kthread_bind(sender, cpu);
	sched_set_fifo(sender);
	per_cpu(senders, cpu) = sender;
	wake_up_process(sender);
	return 0;
}

int senders_start(unsigned int period_us, bool softirq, bool irq, bool nmi)
{
	int cpu, err = nmi ? nmi_start() : 0;

	if (err || !(softirq || irq || nmi))
		return err;
	mean_us = period_us;
	with_softirq = softirq;
	with_irq = irq;
	with_nmi = nmi;
	for_each_possible_cpu(cpu) {
		struct trigger *trigger = per_cpu_ptr(&triggers, cpu);

		INIT_CSD(&trigger->call, in_irq_hit, trigger);
		tasklet_setup(&trigger->tasklet, in_softirq_hit);
	}
	for_each_online_cpu(cpu)
		if (!err)
			err = start_sender(cpu);
	return err;
}
