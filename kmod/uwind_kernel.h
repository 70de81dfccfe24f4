/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uwind for other modules: the one header of this folder that they may include.
 *
 * A stack in user space is asked for at any moment, and known later: when the task
 * returns to user space, or exits. Until then all who ask for it share one walk, and
 * get the same cookie. A cookie is unique until the machine is booted again.
 *
 * A module that refers to a function here keeps uwind loaded. One that can do
 * without takes it by symbol_get(), and gives it back by symbol_put().
 */
#ifndef UWIND_KERNEL_H
#define UWIND_KERNEL_H

#include <linux/types.h>

struct pt_regs;
struct uw_deferred;
struct uw_frame;

/**
 * struct uw_deferred_stack - the answer to one request
 * @cookie:    what uw_deferred_request() said
 * @time_ns:   of the first trigger; CLOCK_BOOTTIME
 * @cpu:       of the first trigger
 * @nr_frames: 0 if @lost is not
 * @lost:      0; else 1 + enum uwind_loss (uwind.h): why there is no stack
 * @stop:      enum uwind_stop: why the walk ended
 * @word_bits: 64 or 32; 0 where there is no stack
 * @frames:    for uw_deferred_frame()
 *
 * Valid while the callback runs.
 */
struct uw_deferred_stack {
	u64 cookie;
	u64 time_ns;
	u32 cpu;
	u32 nr_frames;
	u8 lost;
	u8 stop;
	u8 word_bits;
	const struct uw_frame *frames;
};

/**
 * struct uw_deferred_frame - one frame
 * @pc:          where it was interrupted, or where its callee returns to
 * @stack_bytes: its share of the stack; ~0: unknown
 * @method:      enum uwind_method (uwind.h): how it was found
 */
struct uw_deferred_frame {
	u64 pc;
	u32 stack_bytes;
	u8 method;
};

/**
 * typedef uw_deferred_func_t - what is done with a stack
 * @work:  who asked
 * @stack: the answer
 *
 * Called once for each cookie that was asked for, in the task whose stack it is: on its
 * way to user space, or, with what was walked before, after the end of its memory
 * (current->mm is NULL then). May sleep, shortly: the task waits, and so does
 * uw_deferred_exit().
 */
typedef void (*uw_deferred_func_t)(struct uw_deferred *work, const struct uw_deferred_stack *stack);

/**
 * struct uw_deferred - one who asks. Its members are uwind's
 * @func: see uw_deferred_init()
 * @slot: number among those who ask
 */
struct uw_deferred {
	uw_deferred_func_t func;
	unsigned int slot;
};

/* At once, in all modules. */
#define UW_MAX_CALLERS 16

/**
 * uw_deferred_init() - begin to ask
 * @work: in memory that lives until uw_deferred_exit()
 * @func: is called with each stack
 *
 * Context: may sleep.
 * Return: 0; -EBUSY: UW_MAX_CALLERS ask already; -ENOMEM.
 */
int uw_deferred_init(struct uw_deferred *work, uw_deferred_func_t func);

/**
 * uw_deferred_request() - ask for current's stack in user space
 * @work:   who asks
 * @regs:   of what was interrupted; NULL: not known
 * @cookie: set if the result is not negative
 *
 * @work's callback is certain to come, once, unless the request is cancelled.
 *
 * Context: any that RCU watches, NMI included. Takes no lock, allocates nothing. Not
 * from a probe of task_work_add() or irq_work_queue(), which it calls.
 * Return: 0; 1: it was asked already, and the answer for this cookie is still to come;
 * -EINVAL: a kernel thread or user worker; -ENOMEM: too many requests are open;
 * -ESRCH: the task has exited too far. The last two are counted as lost.
 */
int uw_deferred_request(struct uw_deferred *work, struct pt_regs *regs, u64 *cookie);

/**
 * uw_deferred_cancel() - take one request back
 * @work:   who asked
 * @cookie: for what
 *
 * Context: any.
 * Return: true: no callback comes for it; false: it came, or is under way, or there was
 * no such request.
 */
bool uw_deferred_cancel(struct uw_deferred *work, u64 cookie);

/**
 * uw_deferred_exit() - ask no more
 * @work: who asked, and does not any more
 *
 * Takes back whatever is open, and waits for callbacks that run, but for no task that
 * sleeps: after it @work and its callback may go.
 *
 * Context: may sleep.
 * Return: how many requests were taken back.
 */
u64 uw_deferred_exit(struct uw_deferred *work);

/**
 * uw_deferred_frame() - look at one frame
 * @stack: the answer
 * @index: 0 is the innermost
 * @frame: is filled
 *
 * Return: false: there are not so many.
 */
bool uw_deferred_frame(const struct uw_deferred_stack *stack, u32 index, struct uw_deferred_frame *frame);

/**
 * uw_trigger_module() - ask in the name of every session that samples now
 * @regs:   of what was interrupted; NULL: not known
 * @cookie: set if the result is not 0
 *
 * As if the sessions' counters had overflowed: each looks at its own targets only, and
 * counts what it asks like a sample.
 *
 * Context: as uw_deferred_request().
 * Return: how many sessions will get an answer. 0: there is no session or no user
 * stack, nobody looks at current, or it was counted as lost.
 */
unsigned int uw_trigger_module(struct pt_regs *regs, u64 *cookie);

#endif
