// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a request: made in any context, walked by its own task. Every session
 * that asked in between gets exactly one answer: a stack or a named loss.
 *
 * A task has one open request at most that triggers share; pending.c finds it. An NMI that
 * interrupts the very insertion may make a second request of the same task, and other tasks
 * may ask for its stack: all are answered.
 *
 * The work of a task that exits is done after exit_mm(), when its memory is gone; that of
 * one that executes a program, when it has other memory. So what is open then is walked
 * before, by release_hook.c, and the work hands it over.
 */
#include <linux/irq_work.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "access/quota.h"
#include "core/shadow.h"
#include "request/pending.h"
#include "request/request.h"
#include "stats.h"
#include "uw_port_walk.h"
#include "walk/again.h"
#include "walk/frames.h"
#include "walk/memory.h"
#include "walk/regs.h"
#include "walk/steps.h"

static_assert(UWIND_MAX_FRAMES <= U16_MAX); /* see struct uw_last_walk */

static_assert(offsetof(struct uw_request, work) == 0);
static_assert(offsetof(struct uw_work, resident) == 0);

static DEFINE_PER_CPU(u64, cookie_count);
static const struct uw_asker *askers[UW_MAX_ASKERS]; /* Set by: module init */
static u32 nr_askers;
static u32 max_frames = UWIND_DEFAULT_FRAMES;

void uw_request_register(const struct uw_asker *asker)
{
	askers[nr_askers++] = asker;
}

void uw_request_set_max_frames(u32 most)
{
	WRITE_ONCE(max_frames, most);
}

static unsigned long askers_see_current(void)
{
	unsigned long slots = 0;
	u32 i;

	for (i = 0; i < nr_askers; i++)
		if (askers[i]->visible_to)
			slots |= askers[i]->visible_to();
	return slots;
}

static void kick_nothing(struct irq_work *work)
{
}

/*
 * After an NMI that hit user mode, only an interrupt leads past task work. The
 * function is set at run time: Linux 6.1 does not relocate the per-CPU data of a
 * module, so an address in its initial value would stay 0.
 */
static DEFINE_PER_CPU(struct irq_work, kick_work) = IRQ_WORK_INIT_HARD(NULL);

/*
 * CPU in the upper 16 bits, a count below that begins at the microseconds since
 * boot: unique within a boot, even if the module is loaded again, as no CPU
 * makes a request a microsecond.
 */
static u64 cookie_next(u32 cpu)
{
	return ((u64)(cpu + 1) << 48) | this_cpu_inc_return(cookie_count);
}

/* A trigger in the kernel may lie where the saved registers are being written: a signal begins or ends. */
static void request_fill(struct uw_request *request, struct pt_regs *regs)
{
	bool in_user = regs && user_mode(regs);

	request->cpu = raw_smp_processor_id();
	request->cookie = cookie_next(request->cpu);
	request->time_ns = ktime_get_boot_fast_ns();
	request->exec_id = current->self_exec_id;
	request->mm = current->mm;
	request->late_regs = !in_user;
	request->shadow = in_user ? uw_shadow_pointer() : 0;
	request->arch = in_user ? uw_regs_take(&request->regs, regs) : UW_ARCH_NONE;
}

/* The task runs, or sleeps: its registers are read when it does the work. */
static void request_fill_remote(struct uw_request *request, struct task_struct *task)
{
	preempt_disable();
	request->cookie = cookie_next(smp_processor_id());
	preempt_enable();
	request->cpu = task_cpu(task);
	request->time_ns = ktime_get_boot_fast_ns();
	request->exec_id = READ_ONCE(task->self_exec_id);
	request->mm = NULL;
	request->late_regs = true;
	request->arch = UW_ARCH_NONE;
}

/* It is filled. Returns the loss, and gives it back, if its task cannot be asked; else -1. */
static int request_queue(struct uw_request *request, struct task_struct *task)
{
	int loss = UWIND_LOSS_NOMEM;

	if (uw_pending_add(request, task)) {
		if (!uw_work_queue(&request->work, task)) {
			uw_pending_publish(request, task);
			return -1;
		}
		loss = UWIND_LOSS_EXIT;
		uw_pending_remove(request);
	}
	uw_supply_give(request);
	return loss;
}

/* Returns NULL and sets *loss if it cannot be had. */
static struct uw_request *request_new(struct pt_regs *regs, int *loss)
{
	struct uw_request *request = NULL;

	/* KASAN notes who queues work, under a lock that is not for NMIs. */
	if (!IS_ENABLED(CONFIG_KASAN_GENERIC) || !in_nmi())
		request = uw_supply_take(uw_quota_user(current_cred()));
	*loss = UWIND_LOSS_NOMEM;
	if (!request)
		return NULL;
	request_fill(request, regs);
	*loss = request_queue(request, current);
	if (*loss >= 0)
		return NULL;
	if (in_nmi())
		irq_work_queue(this_cpu_ptr(&kick_work));
	return request;
}

/* The same of a task that is about to run on this CPU. */
static struct uw_request *request_new_next(struct task_struct *task, int *loss)
{
	struct uw_request *request;

	rcu_read_lock();
	request = uw_supply_take(uw_quota_user(__task_cred(task)));
	rcu_read_unlock();
	*loss = UWIND_LOSS_NOMEM;
	if (!request)
		return NULL;
	request_fill_remote(request, task);
	request->mm = task->mm;
	*loss = request_queue(request, task);
	return *loss < 0 ? request : NULL;
}

/*
 * It has its place in the table until the answer is given, so that it is found here. Who asks for what the answer
 * itself does would be answered for ever, before the task gets back to user space.
 */
bool uw_request_is_answering(const struct task_struct *task)
{
	u32 i;

	for (i = 0; i < UW_PENDING_PROBES; i++) {
		const struct uw_request *request = uw_pending_of(task, i);

		if (request && READ_ONCE(request->answering))
			return true;
	}
	return false;
}

bool uw_request_suits(const struct task_struct *task)
{
	return !(task->flags & (PF_KTHREAD | UW_PF_USER_WORKER)) && task->mm;
}

static struct uw_request *request_get(struct pt_regs *regs, u64 *cookie, int *loss)
{
	struct uw_request *request = uw_pending_find(current);

	if (!request)
		request = request_new(regs, loss);
	if (request)
		*cookie = request->cookie;
	return request;
}

static void note_asker(unsigned long *askers, unsigned int slot)
{
	if (!test_bit(slot, askers))
		set_bit(slot, askers);
}

static int request_note_session(struct uw_request *request, unsigned int slot, bool noted)
{
	if (noted)
		atomic_inc(&request->noted[slot]);
	atomic_inc(&request->asked[slot]);
	note_asker(&request->asked_by, slot);
	return -1;
}

int uw_request_ask(unsigned int slot, struct pt_regs *regs, bool noted, u64 *cookie)
{
	int loss;
	struct uw_request *request = request_get(regs, cookie, &loss);

	return request ? request_note_session(request, slot, noted) : loss;
}

int uw_request_ask_next(unsigned int slot, struct task_struct *task, bool noted, u64 *cookie)
{
	int loss;
	struct uw_request *request = uw_pending_find(task) ?: request_new_next(task, &loss);

	if (!request)
		return loss;
	*cookie = request->cookie;
	return request_note_session(request, slot, noted);
}

int uw_request_call(unsigned int caller, struct pt_regs *regs, u64 *cookie)
{
	int loss;
	struct uw_request *request = request_get(regs, cookie, &loss);

	if (!request)
		return -1 - loss;
	if (atomic64_cmpxchg(&request->owed[caller], 0, *cookie))
		return 1;
	note_asker(&request->owed_by, caller);
	return 0;
}

static void request_free(struct uw_request *request)
{
	if (request->last.frames)
		uw_frames_give(request->last.frames, request->last.room);
	request->last.frames = NULL;
	uw_quota_uncharge(request->quota, UW_QUOTA_ASKS, 1);
	request->quota = NULL;
	uw_supply_give(request);
}

static struct uw_request *request_new_remote(struct task_struct *task)
{
	struct uw_request *request = NULL;

	if (uw_supply_taken() < UW_MAX_REQUESTS / 2) /* the rest is for triggers; the asker has an account */
		request = uw_supply_take(GLOBAL_ROOT_UID);
	if (!request)
		return NULL;
	request_fill_remote(request, task);
	if (uw_pending_add(request, task))
		return request;
	uw_supply_give(request);
	return NULL;
}

/*
 * A request of its own, which no trigger finds: what current may share, nobody
 * else may, since it can be answered any moment.
 */
int uw_request_ask_task(unsigned int slot, struct uw_quota *quota, struct task_struct *task, u64 *cookie)
{
	struct uw_request *request = request_new_remote(task);

	if (!request)
		return -EAGAIN;
	*cookie = request->cookie;
	atomic_inc(&request->asked[slot]);
	note_asker(&request->asked_by, slot);
	request->quota = quota;
	if (!uw_work_queue(&request->work, task))
		return 0;
	/*
	 * It is past its last walk, and what that left here is ours. Pairs with the full
	 * barrier of the cmpxchg() by which task_work_run() says that it takes no more:
	 * anyone who has seen that sees all that the task wrote before.
	 */
	smp_rmb();
	atomic_set(&request->asked[slot], 0);
	request->quota = NULL;
	uw_pending_remove(request);
	request_free(request);
	return -ESRCH;
}

/* It is about memory that current has given up. */
static bool request_outdated(const struct uw_request *request)
{
	return request->mm ? request->mm != current->mm : request->exec_id != current->self_exec_id;
}

/* What a probe has replaced, who goes on with the walk does not know. */
static void look_at_missed(struct uw_missed *missed, const struct uw_walk *walk, struct uw_port *port)
{
	if (port->probed || !uw_stop_may_lack_table(walk->stop))
		missed->file = 0;
	if (missed->file)
		missed->readable = uw_memory_readable(port, missed->regs.r[uw_arch_sp(walk->arch)]);
}

/* uw_steps_give(port) is due. */
static void request_walk(struct uw_request *request, struct uw_walk *walk, struct uw_port *port, bool atomic)
{
	u64 sp;

	if (request->late_regs) {
		request->arch = uw_regs_take(&request->regs, task_pt_regs(current));
		request->shadow = uw_shadow_pointer();
	}
	walk->regs = request->regs;
	walk->arch = request->arch;
	sp = walk->regs.r[uw_arch_sp(walk->arch)];
	uw_memory_begin(port, walk->arch, sp, atomic);
	if (IS_ENABLED(CONFIG_UPROBES) && unlikely(port->probed))
		uw_uprobe_regs(port, &walk->regs);
	uw_steps_take(port, walk);
	uw_walk_run(walk, port);
	uw_again_check(&request->regs, walk, port);
	/* A return probe also changes the shadow stack. */
	if (unlikely(request->shadow) && !port->probed && uw_shadow_check(walk, port, request->shadow))
		uw_stats_shadow_checked();
	if (walk->missed)
		look_at_missed(walk->missed, walk, port);
	uw_stats_walk(walk->nr_frames);
}

/* The walk keeps nothing that other ones want. */
static void request_settle(struct uw_walk *walk, struct uw_port *port)
{
	uw_walk_fill(walk);
	walk->nr_ids = 0;
	uw_steps_give(port);
}

/* The CPU's frames or none: this is no place for an allocator. */
static void request_walk_early(struct uw_request *request)
{
	struct uw_walk walk = { .max_frames = UW_USUAL_FRAMES, .most_frames = READ_ONCE(max_frames) };
	struct uw_port port;

	walk.frames = uw_frames_take_spare();
	if (!walk.frames)
		return;
	request_walk(request, &walk, &port, true);
	request_settle(&walk, &port);
	request->last.nr_frames = walk.nr_frames;
	request->last.stop = walk.stop;
	request->last.room = uw_frames_room(&walk);
	request->last.visible_to = askers_see_current();
	request->last.exec_id = current->self_exec_id;
	memcpy(request->last.comm, current->comm, TASK_COMM_LEN);
	request->last.frames = walk.frames;
}

void uw_request_walk_last(void)
{
	u32 i;

	for (i = 0; i < UW_PENDING_PROBES; i++) {
		struct uw_request *request = uw_pending_of(current, i);

		if (request && !request->last.frames && !request_outdated(request))
			request_walk_early(request);
	}
}

static void request_deliver(struct uw_request *request, const struct uw_answer *answer)
{
	u32 i;

	uw_pending_hide(request);
	for (i = 0; i < nr_askers; i++)
		askers[i]->answer(answer);
}

static void request_answer_last(struct uw_request *request, struct uw_answer *answer)
{
	struct uw_walk walk = {
		.arch = request->arch,
		.frames = request->last.frames,
		.nr_frames = request->last.nr_frames,
		.nr_filled = request->last.nr_frames,
		.stop = request->last.stop,
	};

	answer->walk = &walk;
	answer->past = true;
	request_deliver(request, answer);
}

static bool has_lacked_room(const struct uw_walk *walk)
{
	return walk->stop == UW_STOP_DEPTH && walk->nr_frames < walk->most_frames &&
	       walk->nr_frames == walk->max_frames;
}

/* What other modules do with a stack may take them as long as they like. */
static void request_answer_walked(struct uw_request *request, struct uw_answer *answer)
{
	struct uw_port port UW_UNINITIALIZED;

	request_walk(request, answer->walk, &port, false);
	if (request->owed_by)
		request_settle(answer->walk, &port);
	if (has_lacked_room(answer->walk)) {
		answer->walk = NULL;
		answer->loss = UWIND_LOSS_NOMEM;
	}
	request_deliver(request, answer);
	uw_steps_give(&port);
}

static void request_answer_now(struct uw_request *request, struct uw_answer *answer)
{
	struct uw_missed missed UW_UNINITIALIZED;
	struct uw_walk walk UW_UNINITIALIZED;

	walk.max_frames = UW_USUAL_FRAMES;
	walk.most_frames = READ_ONCE(max_frames);
	walk.missed = &missed;
	walk.frames = uw_frames_take();
	if (!walk.frames) {
		answer->loss = UWIND_LOSS_NOMEM;
		request_deliver(request, answer);
		return;
	}
	answer->walk = &walk;
	request_answer_walked(request, answer);
	uw_frames_give(walk.frames, uw_frames_room(&walk));
}

static void request_run(struct uw_work *work)
{
	struct uw_request *request = container_of(work, struct uw_request, work);
	struct uw_answer answer = { .request = request };

	WRITE_ONCE(request->answering, true);
	if (request->last.frames) {
		request_answer_last(request, &answer);
	} else if (!current->mm) {
		answer.loss = UWIND_LOSS_EXIT;
		request_deliver(request, &answer);
	} else if (request_outdated(request)) {
		answer.loss = UWIND_LOSS_EXEC;
		request_deliver(request, &answer);
	} else {
		request_answer_now(request, &answer);
	}
	uw_pending_remove(request);
	WRITE_ONCE(request->answering, false);
	request_free(request);
}

/* The module goes between a task's last walk and its work. */
static void request_drop(struct uw_work *work)
{
	struct uw_request *request = container_of(work, struct uw_request, work);

	kvfree(request->last.frames);
	uw_quota_uncharge(request->quota, UW_QUOTA_ASKS, 1);
}

static const struct uw_work_kind request_kind = {
	.run = request_run,
	.drop = request_drop,
	.memory = UW_RESIDENT_PAGES,
};

/* Most are 0, and to exchange them would take the cache line from a task that uses the request. */
static u32 asked_take(atomic_t *asked)
{
	return atomic_read(asked) ? atomic_xchg(asked, 0) : 0;
}

static bool owed_take(atomic64_t *owed, u64 cookie)
{
	return atomic64_read(owed) == cookie && atomic64_cmpxchg(owed, cookie, 0) == cookie;
}

u64 uw_request_forget(unsigned int slot)
{
	u32 i, count = uw_supply_count();
	u64 open = 0;

	for (i = 0; i < count; i++) {
		open += asked_take(&uw_supply_at(i)->asked[slot]);
		atomic_set(&uw_supply_at(i)->noted[slot], 0);
	}
	return open;
}

/* A cookie is never used again, so that nobody else's request can be meant. */
bool uw_request_cancel(unsigned int caller, u64 cookie)
{
	u32 i, count = uw_supply_count();

	for (i = 0; cookie && i < count; i++)
		if (owed_take(&uw_supply_at(i)->owed[caller], cookie))
			return true;
	return false;
}

u64 uw_request_cancel_all(unsigned int caller)
{
	u32 i, count = uw_supply_count();
	u64 open = 0;

	for (i = 0; i < count; i++)
		open += atomic64_read(&uw_supply_at(i)->owed[caller]) &&
			atomic64_xchg(&uw_supply_at(i)->owed[caller], 0);
	return open;
}

u32 uw_request_count(void)
{
	return uw_supply_taken();
}

/* Changes nothing if a session runs already. */
static void cpus_prepare(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		WRITE_ONCE(per_cpu_ptr(&kick_work, cpu)->func, kick_nothing);
		cmpxchg(per_cpu_ptr(&cookie_count, cpu), 0, ktime_get_boottime_ns() >> 10);
	}
}

int uw_request_prepare(u32 most)
{
	int err;

	might_sleep();
	cpus_prepare();
	err = uw_frames_prepare(most);
	return err ?: uw_steps_prepare() ?: uw_supply_prepare(&request_kind);
}

void uw_request_exit(void)
{
	int cpu;

	uw_supply_exit();
	for_each_possible_cpu(cpu)
		irq_work_sync(per_cpu_ptr(&kick_work, cpu));
	uw_frames_exit();
}
