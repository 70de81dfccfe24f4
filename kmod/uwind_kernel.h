/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uwind for other modules: the one header of this folder that they may include.
 *
 * A stack in user space can be requested at any time. It is walked later: when the task
 * returns to user space, or exits. Until then all requests for it share one walk, and
 * get the same cookie. A cookie is unique until the next boot.
 *
 * A module that refers to a function here keeps uwind loaded. A module that also works
 * without uwind takes the function by symbol_get(), and gives it back by symbol_put().
 */
#ifndef UWIND_KERNEL_H
#define UWIND_KERNEL_H

#include <linux/types.h>

struct pt_regs;
struct uw_deferred;
struct uw_frame;

/**
 * struct uw_deferred_stack - the answer to one request
 * @cookie:    the one that uw_deferred_request() returned
 * @time_ns:   of the first trigger; CLOCK_BOOTTIME
 * @cpu:       of the first trigger
 * @nr_frames: 0 if @lost is not 0
 * @lost:      0; else 1 + enum uwind_loss (uwind.h): why there is no stack
 * @stop:      enum uwind_stop: why the walk ended
 * @word_bits: 64 or 32; 0 where there is no stack
 * @past:      1: the stack was walked before the task gave that memory up: it exits, or has executed a program
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
	u8 past;
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
 * typedef uw_deferred_func_t - receives a stack
 * @work:  the requester
 * @stack: the answer
 *
 * Called once for each cookie that was requested, in the task whose stack it is: on its
 * way to user space, or, if the task exits, after the end of its memory (current->mm is
 * NULL then) with the stack that was walked before. A task that executes a program is walked
 * before that, too, and calls when it is the other program (@stack->past). May sleep, but not for long: the task
 * waits, and so does uw_deferred_exit().
 */
typedef void (*uw_deferred_func_t)(struct uw_deferred *work, const struct uw_deferred_stack *stack);

/**
 * struct uw_deferred - one requester. Its members are private to uwind
 * @func: see uw_deferred_init()
 * @slot: number among the requesters
 */
struct uw_deferred {
	uw_deferred_func_t func;
	unsigned int slot;
};

/* Requesters at the same time, of all modules. */
#define UW_MAX_CALLERS 16

/**
 * uw_deferred_init() - register a requester
 * @work: in memory that lives until uw_deferred_exit()
 * @func: is called with each stack
 *
 * Context: may sleep.
 * Return: 0; -EBUSY: UW_MAX_CALLERS are registered; -ENOMEM.
 */
int uw_deferred_init(struct uw_deferred *work, uw_deferred_func_t func);

/**
 * uw_deferred_request() - request current's stack in user space
 * @work:   the requester
 * @regs:   of what was interrupted; NULL: not known
 * @cookie: set if the result is not negative
 *
 * @work's callback is called for it exactly once, unless the request is cancelled.
 *
 * Context: any in which RCU is watching, NMI included. Takes no lock, allocates nothing.
 * Not from a probe of task_work_add() or irq_work_queue(), which it calls.
 * Return: 0; 1: @work requested it already, and the callback for this cookie is still to
 * come; -EINVAL: a kernel thread or user worker; -ENOMEM: too many requests are open;
 * -ESRCH: too late in do_exit(). The last two are counted as lost.
 */
int uw_deferred_request(struct uw_deferred *work, struct pt_regs *regs, u64 *cookie);

/**
 * uw_deferred_cancel() - cancel one request
 * @work:   the requester
 * @cookie: of the request
 *
 * Context: any.
 * Return: true: the callback will not be called for it; false: it was called, or is being
 * called, or there was no such request.
 */
bool uw_deferred_cancel(struct uw_deferred *work, u64 cookie);

/**
 * uw_deferred_exit() - unregister a requester
 * @work: the requester
 *
 * Cancels its open requests, and waits for callbacks that run, but not for tasks that
 * sleep. After it, @work and its callback may be freed.
 *
 * Context: may sleep.
 * Return: how many requests were cancelled.
 */
u64 uw_deferred_exit(struct uw_deferred *work);

/**
 * uw_deferred_frame() - read one frame
 * @stack: the answer
 * @index: 0 is the innermost
 * @frame: is filled
 *
 * Return: false: @index is not less than the number of frames.
 */
bool uw_deferred_frame(const struct uw_deferred_stack *stack, u32 index, struct uw_deferred_frame *frame);

/**
 * uw_trigger_module() - request current's stack on behalf of every running session
 * @regs:   of what was interrupted; NULL: not known
 * @cookie: set if the result is not 0
 *
 * As if a counter of each session had overflowed: a session requests the stacks of its
 * own targets only, and counts the request like a sample.
 *
 * Context: as uw_deferred_request().
 * Return: how many sessions will get an answer. 0: there is no session or no user
 * stack, current is no session's target, or the stack was counted as lost.
 */
unsigned int uw_trigger_module(struct pt_regs *regs, u64 *cookie);

#endif
