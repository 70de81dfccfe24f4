// SPDX-License-Identifier: GPL-2.0
/*
 * The slot table of callers.
 *
 * The end of a caller: its slot is emptied, so that no task begins to answer it; SRCU
 * waits for those that are answering; then what it is still owed is taken back, however
 * long those tasks sleep.
 */
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/srcu.h>

#include "core/walk.h"
#include "request/deferred.h"
#include "request/request.h"
#include "stats.h"
#include "uwind.h"
#include "uwind_kernel.h"

DEFINE_STATIC_SRCU(callers_srcu);
static DEFINE_MUTEX(callers_mutex);
/* Protected by: callers_mutex to write; SRCU to answer. */
static struct uw_deferred __rcu *callers[UW_MAX_CALLERS];
static unsigned long slots_used; /* Protected by: callers_mutex */
static DEFINE_PER_CPU(struct uw_counts, caller_counts);

int uw_deferred_init(struct uw_deferred *work, uw_deferred_func_t func)
{
	unsigned int slot;
	int err = uw_request_prepare(UWIND_DEFAULT_FRAMES);

	if (err)
		return err;
	mutex_lock(&callers_mutex);
	slot = find_first_zero_bit(&slots_used, UW_MAX_CALLERS);
	if (slot < UW_MAX_CALLERS) {
		work->func = func;
		work->slot = slot;
		__set_bit(slot, &slots_used);
		rcu_assign_pointer(callers[slot], work);
	} else {
		err = -EBUSY;
	}
	mutex_unlock(&callers_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(uw_deferred_init);

int uw_deferred_request(struct uw_deferred *work, struct pt_regs *regs, u64 *cookie)
{
	int result;

	if (!uw_request_suits(current))
		return -EINVAL;
	result = uw_request_call(work->slot, regs, cookie);
	if (result == 1)
		return 1;
	uw_stats_requested(&caller_counts, 1);
	if (!result)
		return 0;
	uw_stats_lost(&caller_counts, -1 - result, 1);
	return -1 - result == UWIND_LOSS_NOMEM ? -ENOMEM : -ESRCH;
}
EXPORT_SYMBOL_GPL(uw_deferred_request);

bool uw_deferred_cancel(struct uw_deferred *work, u64 cookie)
{
	bool cancelled = uw_request_cancel(work->slot, cookie);

	if (cancelled)
		uw_stats_lost(&caller_counts, UWIND_LOSS_CANCELLED, 1);
	return cancelled;
}
EXPORT_SYMBOL_GPL(uw_deferred_cancel);

u64 uw_deferred_exit(struct uw_deferred *work)
{
	u64 cancelled;

	might_sleep();
	mutex_lock(&callers_mutex);
	rcu_assign_pointer(callers[work->slot], NULL);
	mutex_unlock(&callers_mutex);
	synchronize_srcu(&callers_srcu);
	cancelled = uw_request_cancel_all(work->slot);
	uw_stats_lost(&caller_counts, UWIND_LOSS_CANCELLED, cancelled);
	mutex_lock(&callers_mutex);
	__clear_bit(work->slot, &slots_used);
	mutex_unlock(&callers_mutex);
	return cancelled;
}
EXPORT_SYMBOL_GPL(uw_deferred_exit);

bool uw_deferred_frame(const struct uw_deferred_stack *stack, u32 index, struct uw_deferred_frame *frame)
{
	if (index >= stack->nr_frames)
		return false;
	frame->pc = stack->frames[index].pc;
	frame->stack_bytes = stack->frames[index].stack_bytes;
	frame->method = stack->frames[index].method;
	return true;
}
EXPORT_SYMBOL_GPL(uw_deferred_frame);

static void deferred_fill(struct uw_deferred_stack *stack, const struct uw_answer *answer)
{
	stack->cookie = answer->request->cookie;
	stack->time_ns = answer->request->time_ns;
	stack->cpu = answer->request->cpu;
	if (!answer->walk) {
		stack->lost = 1 + answer->loss;
		return;
	}
	uw_walk_fill(answer->walk);
	stack->past = answer->past;
	stack->stop = answer->walk->stop;
	stack->word_bits = uw_abis[answer->walk->arch].word * BITS_PER_BYTE;
	stack->nr_frames = answer->walk->nr_frames;
	stack->frames = answer->walk->frames;
}

static void deferred_count(const struct uw_answer *answer)
{
	if (answer->walk)
		uw_stats_answered(&caller_counts, answer->walk->stop, 1);
	else
		uw_stats_lost(&caller_counts, answer->loss, 1);
}

/* Without the caller it stays owed, until uw_deferred_exit() takes it back. */
static void deferred_answer_one(struct uw_deferred *work, atomic64_t *owed, const struct uw_answer *answer)
{
	struct uw_deferred_stack stack = {};

	if (!work || !atomic64_xchg(owed, 0))
		return;
	deferred_fill(&stack, answer);
	deferred_count(answer);
	work->func(work, &stack);
}

static void deferred_answer(const struct uw_answer *answer)
{
	atomic64_t *owed = answer->request->owed;
	unsigned int caller;
	int index;

	for_each_set_bit(caller, &answer->request->owed_by, UW_MAX_CALLERS) {
		if (!atomic64_read(&owed[caller]))
			continue;
		index = srcu_read_lock(&callers_srcu);
		deferred_answer_one(srcu_dereference(callers[caller], &callers_srcu), &owed[caller], answer);
		srcu_read_unlock(&callers_srcu, index);
	}
}

static const struct uw_asker deferred_asker = { .answer = deferred_answer };

int uw_deferred_setup(void)
{
	uw_request_register(&deferred_asker);
	return 0;
}
