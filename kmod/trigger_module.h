/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trigger for other modules: the one header of this folder that they may
 * include, and the one function that is exported to them.
 *
 * A module that refers to it keeps uwind loaded. One that can do without takes
 * it by symbol_get(uw_trigger_module), and gives it back by symbol_put().
 */
#ifndef UW_TRIGGER_MODULE_H
#define UW_TRIGGER_MODULE_H

struct pt_regs;

/*
 * Ask for current's user stack in the name of every session that samples now,
 * as if its counter had overflowed. regs are those of what was interrupted, or
 * task_pt_regs(current). Each session looks at its own targets only, and counts
 * what it asks like a sample; the stack follows when current returns to user
 * space.
 *
 * Any context that RCU watches, NMI included; no lock, no allocation, no fault.
 * Not from a probe of task_work_add() or irq_work_queue(), which it calls.
 *
 * Returns the number of sessions that will get an answer. 0: there is no
 * session or no user stack, nobody looks at current, or it was counted as lost.
 */
unsigned int uw_trigger_module(struct pt_regs *regs);

#endif
