// SPDX-License-Identifier: GPL-2.0
/*
 * From the moment at which the scheduler takes a task off its CPU to the one at which it runs again.
 *
 * A table has a place for each task that some session wants and that is off its CPU. The task itself takes
 * the place, on its way out, and whoever switches to it empties it. Both hold the lock of the task's run queue, so
 * that a place is a task's own; whoever wakes it, or looks for those that still wait, holds the place's lock. While that
 * is held, the task cannot run: its stack stays as it is.
 *
 * The probes are there while a session wants them. A task that slept before is not known.
 */
#include <linux/compat.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include <asm/syscall.h>

#include "stats.h"
#include "trigger/off_cpu.h"
#include "trigger/tracepoint.h"
#include "trigger/trigger.h"
#include "uwind.h"

#define UW_OFF_CPU_BITS   15
#define UW_OFF_CPU_PLACES (1u << UW_OFF_CPU_BITS)
#define UW_OFF_CPU_PROBES 8u
#define UW_OFF_CPU_ROUND  64u /* that a ring of notes has room for */

struct place {
	raw_spinlock_t lock;      /* innermost: taken under the locks of run queues and tasks */
	struct task_struct *task; /* NULL: free. Protected by: lock to write. Read anywhere by READ_ONCE() */
	struct uw_off_cpu off;    /* Protected by: lock */
};

struct limit {
	u64 second;
	u32 used;
};

/* Members are constant while it exists, but for enabled. */
struct trigger_off_cpu {
	struct uw_trigger base;
	struct list_head node;         /* in the list of all. Protected by: its mutex to write, RCU to read */
	const struct cpumask *cpus;    /* that it is for. Lifetime: longer than the trigger's */
	u64 least_ns;                  /* shorter times do not count */
	u32 most;                      /* a second and CPU */
	bool wakers;                   /* who wakes a task is noted, too */
	bool enabled;                  /* Read anywhere by READ_ONCE() */
	bool open;                     /* it is in the list. Used by its owner only */
	struct limit __percpu *limits; /* owned. Each CPU changes its own, with interrupts disabled */
};

static DEFINE_MUTEX(triggers_mutex);
static LIST_HEAD(triggers);                      /* Protected by: triggers_mutex to write, RCU to read */
static struct place *places;                     /* Protected by: triggers_mutex. Probes: there while they are */
static struct tracepoint *on_switch, *on_waking; /* Protected by: triggers_mutex */
static atomic64_t last_wake;

static struct place *place_at(const struct task_struct *task, u32 probe)
{
	return &places[(hash_ptr(task, UW_OFF_CPU_BITS) + probe) & (UW_OFF_CPU_PLACES - 1)];
}

static struct place *place_of(const struct task_struct *task)
{
	u32 i;

	for (i = 0; i < UW_OFF_CPU_PROBES; i++)
		if (READ_ONCE(place_at(task, i)->task) == task)
			return place_at(task, i);
	return NULL;
}

static bool place_take(struct place *place, struct task_struct *task, const struct uw_off_cpu *off)
{
	bool taken;

	if (READ_ONCE(place->task))
		return false;
	raw_spin_lock(&place->lock);
	taken = !place->task;
	if (taken) {
		place->off = *off;
		WRITE_ONCE(place->task, task);
	}
	raw_spin_unlock(&place->lock);
	return taken;
}

static bool places_add(struct task_struct *task, const struct uw_off_cpu *off)
{
	u32 i;

	for (i = 0; i < UW_OFF_CPU_PROBES; i++)
		if (place_take(place_at(task, i), task, off))
			return true;
	return false;
}

/* false: it has none. */
static bool places_remove(const struct task_struct *task, struct uw_off_cpu *off)
{
	struct place *place = place_of(task);

	if (!place)
		return false;
	raw_spin_lock(&place->lock);
	*off = place->off;
	WRITE_ONCE(place->task, NULL);
	raw_spin_unlock(&place->lock);
	return true;
}

static bool limit_allows(const struct trigger_off_cpu *trigger, u64 now)
{
	struct limit *limit = this_cpu_ptr(trigger->limits);

	if (now - limit->second >= NSEC_PER_SEC) {
		limit->second = now;
		limit->used = 0;
	}
	if (limit->used++ < trigger->most)
		return true;
	uw_stats_throttled(trigger->base.owner->counts);
	return false;
}

/* Interrupts are disabled. */
static void fire(const struct trigger_off_cpu *trigger, struct task_struct *task, const struct uw_off_cpu *off, u64 now)
{
	const struct uw_firing firing = { .task = task, .period = now - off->since_ns, .off_cpu = off };

	if (READ_ONCE(trigger->enabled) && firing.period >= trigger->least_ns &&
	    trigger->base.owner->takes(trigger->base.owner, task) && limit_allows(trigger, now))
		trigger->base.owner->fired(trigger->base.owner, &firing);
}

static void fire_all(struct task_struct *task, const struct uw_off_cpu *off)
{
	struct trigger_off_cpu *trigger;
	u64 now = ktime_get_boot_fast_ns();

	list_for_each_entry_rcu(trigger, &triggers, node)
		fire(trigger, task, off, now);
}

static bool somebody_wants(struct task_struct *task)
{
	struct trigger_off_cpu *trigger;

	list_for_each_entry_rcu(trigger, &triggers, node)
		if (READ_ONCE(trigger->enabled) && trigger->base.owner->takes(trigger->base.owner, task))
			return true;
	return false;
}

static void count_no_room(void)
{
	struct trigger_off_cpu *trigger;

	list_for_each_entry_rcu(trigger, &triggers, node)
		if (READ_ONCE(trigger->enabled))
			uw_stats_throttled(trigger->base.owner->counts);
}

/* current, which is about to be switched out. */
static struct uw_off_cpu off_cpu_of_current(bool preempt, unsigned int state)
{
	bool preempted = preempt || state == TASK_RUNNING;

	return (struct uw_off_cpu){
		.since_ns = ktime_get_boot_fast_ns(),
		.syscall = syscall_get_nr(current, task_pt_regs(current)),
		.state = preempted ? 'R' : task_state_to_char(current),
		.flags = (preempted ? UWIND_OFF_CPU_PREEMPTED : 0) | (current->in_iowait ? UWIND_OFF_CPU_IOWAIT : 0) |
			 (in_compat_syscall() ? UWIND_OFF_CPU_COMPAT : 0),
	};
}

/* Kernel threads wait for work most of the time, which says nothing. */
static bool is_of_interest(const struct task_struct *task)
{
	return !(task->flags & (PF_KTHREAD | UW_PF_USER_WORKER)) && task->mm && !task->exit_state;
}

/* current is prev. Under the lock of the run queue, with interrupts disabled. */
static void switch_probe(void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
			 unsigned int prev_state)
{
	struct uw_off_cpu off;

	if (is_of_interest(prev) && somebody_wants(prev)) {
		off = off_cpu_of_current(preempt, prev_state);
		if (!places_add(prev, &off))
			count_no_room();
	}
	if (is_of_interest(next) && places_remove(next, &off)) /* it is what it was when it went */
		fire_all(next, &off);
}

static void fire_wakeup(const struct trigger_off_cpu *trigger, struct task_struct *woken, struct pt_regs *regs,
			const struct uw_off_cpu *off)
{
	const struct uw_firing firing = {
		.task = current, .regs = regs, .period = off->woken_ns - off->since_ns, .off_cpu = off
	};

	if (READ_ONCE(trigger->enabled) && trigger->wakers && firing.period >= trigger->least_ns &&
	    trigger->base.owner->takes(trigger->base.owner, woken) && limit_allows(trigger, off->woken_ns))
		trigger->base.owner->fired(trigger->base.owner, &firing);
}

/* false: it runs, or is woken already. */
static bool note_wakeup(struct place *place, const struct task_struct *task, struct uw_off_cpu *wakeup)
{
	bool first;

	raw_spin_lock(&place->lock);
	first = place->task == task && !place->off.woken_ns;
	if (first) {
		place->off.woken_ns = ktime_get_boot_fast_ns();
		place->off.wake = atomic64_inc_return(&last_wake);
		*wakeup = place->off;
	}
	raw_spin_unlock(&place->lock);
	return first;
}

/* current wakes a task, or an interrupt that has nothing to do with current. Interrupts are disabled. */
static void waking_probe(void *data, struct task_struct *woken)
{
	struct place *place = place_of(woken);
	struct trigger_off_cpu *trigger;
	struct uw_off_cpu wakeup;
	struct pt_regs regs = {};

	if (!place || !note_wakeup(place, woken, &wakeup))
		return;
	perf_fetch_caller_regs(&regs);
	wakeup.flags = UWIND_OFF_CPU_WAKER | (in_task() ? 0 : UWIND_OFF_CPU_INTERRUPT);
	list_for_each_entry_rcu(trigger, &triggers, node)
		fire_wakeup(trigger, woken, &regs, &wakeup);
}

static void probes_unregister(void)
{
	lockdep_assert_held(&triggers_mutex);
	if (on_waking)
		tracepoint_probe_unregister(on_waking, waking_probe, NULL);
	if (on_switch)
		tracepoint_probe_unregister(on_switch, switch_probe, NULL);
	on_waking = on_switch = NULL;
	rcu_expedite_gp();
	uw_tracepoint_synchronize();
	rcu_unexpedite_gp();
	kvfree(places);
	places = NULL;
}

static int probe_register(struct tracepoint **tracepoint, const char *name, void *probe)
{
	struct tracepoint *found = uw_tracepoint_find(name);
	int err = found ? tracepoint_probe_register(found, probe, NULL) : -ENODEV;

	if (!err)
		*tracepoint = found;
	return err;
}

static int probes_register(void)
{
	u32 i;
	int err;

	lockdep_assert_held(&triggers_mutex);
	places = kvcalloc(UW_OFF_CPU_PLACES, sizeof(*places), GFP_KERNEL);
	if (!places)
		return -ENOMEM;
	for (i = 0; i < UW_OFF_CPU_PLACES; i++)
		raw_spin_lock_init(&places[i].lock);
	err = probe_register(&on_switch, "sched_switch", switch_probe) ?:
		      probe_register(&on_waking, "sched_waking", waking_probe);
	if (err)
		probes_unregister();
	return err;
}

/* The task in that place does not run before this is over. false: there is none. */
static bool fire_asleep(const struct trigger_off_cpu *trigger, struct place *place)
{
	struct uw_off_cpu off;
	unsigned long flags;
	bool fires;

	if (!READ_ONCE(place->task))
		return false;
	raw_spin_lock_irqsave(&place->lock, flags);
	fires = place->task;
	if (fires) {
		off = place->off;
		off.flags |= UWIND_OFF_CPU_STILL;
		fire(trigger, place->task, &off, ktime_get_boot_fast_ns());
	}
	raw_spin_unlock_irqrestore(&place->lock, flags);
	return fires;
}

static long fire_all_asleep(void *data)
{
	const struct trigger_off_cpu *trigger = data;
	u32 i, fired = 0;

	for (i = 0; i < UW_OFF_CPU_PLACES; i++) {
		fired += fire_asleep(trigger, &places[i]);
		if (fired == UW_OFF_CPU_ROUND) {
			trigger->base.owner->make_room(trigger->base.owner);
			fired = 0;
		}
		cond_resched();
	}
	return 0;
}

/* On one of its CPUs, as notes are made there only. */
static void report_asleep(struct trigger_off_cpu *trigger)
{
	unsigned int cpu;

	if (!READ_ONCE(trigger->enabled))
		return;
	cpu = cpumask_any_and(trigger->cpus, cpu_online_mask);
	if (cpu < nr_cpu_ids)
		work_on_cpu(cpu, fire_all_asleep, trigger);
}

static struct trigger_off_cpu *trigger_off_cpu_of(struct uw_trigger *trigger)
{
	return container_of(trigger, struct trigger_off_cpu, base);
}

static void trigger_off_cpu_close(struct uw_trigger *base)
{
	struct trigger_off_cpu *trigger = trigger_off_cpu_of(base);

	might_sleep();
	if (!trigger->open)
		return;
	report_asleep(trigger);
	mutex_lock(&triggers_mutex);
	list_del_rcu(&trigger->node);
	if (list_empty(&triggers))
		probes_unregister();
	mutex_unlock(&triggers_mutex);
	synchronize_rcu_expedited();
	trigger->open = false;
}

static void trigger_off_cpu_free(struct uw_trigger *base)
{
	struct trigger_off_cpu *trigger = trigger_off_cpu_of(base);

	trigger_off_cpu_close(base);
	free_percpu(trigger->limits);
	kfree(trigger);
}

static void trigger_off_cpu_enable(struct uw_trigger *trigger)
{
	WRITE_ONCE(trigger_off_cpu_of(trigger)->enabled, true);
}

static void trigger_off_cpu_disable(struct uw_trigger *trigger)
{
	WRITE_ONCE(trigger_off_cpu_of(trigger)->enabled, false);
}

static const struct uw_trigger_ops trigger_off_cpu_ops = {
	.enable = trigger_off_cpu_enable,
	.disable = trigger_off_cpu_disable,
	.close = trigger_off_cpu_close,
	.free = trigger_off_cpu_free,
};

static int trigger_off_cpu_open(struct trigger_off_cpu *trigger)
{
	int err = 0;

	mutex_lock(&triggers_mutex);
	if (list_empty(&triggers))
		err = probes_register();
	if (!err) {
		trigger->open = true;
		list_add_rcu(&trigger->node, &triggers);
	}
	mutex_unlock(&triggers_mutex);
	return err;
}

struct uw_trigger *uw_trigger_off_cpu_create(struct uw_trigger_owner *owner, const struct cpumask *cpus,
					     const struct uwind_counter *counter)
{
	struct trigger_off_cpu *trigger = kzalloc(sizeof(*trigger), GFP_KERNEL);
	int err = -ENOMEM;

	if (!trigger)
		return ERR_PTR(-ENOMEM);
	trigger->base.ops = &trigger_off_cpu_ops;
	trigger->base.owner = owner;
	trigger->cpus = cpus;
	trigger->least_ns = counter->rate;
	trigger->most = counter->config ?: UWIND_OFF_CPU_DEFAULT_MOST;
	trigger->wakers = !(counter->config1 & UWIND_OFF_CPU_NO_WAKERS);
	trigger->limits = alloc_percpu(struct limit);
	if (trigger->limits)
		err = trigger_off_cpu_open(trigger);
	if (!err)
		return &trigger->base;
	trigger_off_cpu_free(&trigger->base);
	return ERR_PTR(err);
}
