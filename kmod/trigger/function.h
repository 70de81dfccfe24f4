/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls of the kernel's functions, and their returns.
 */
#ifndef UW_FUNCTION_H
#define UW_FUNCTION_H

#include <linux/err.h>
#include <linux/types.h>

#include "trigger/trigger.h"
#include "uwind.h"

struct pt_regs;

/* What calls and returns have in common: their triggers begin with it. Members are constant while it exists, but for enabled. */
struct uw_function {
	struct uw_trigger base;
	u64 period;         /* calls that one event stands for */
	u64 __percpu *seen; /* owned. Each CPU counts its own, in any context */
	bool enabled;       /* Read anywhere by READ_ONCE() */
	bool open;          /* it may be called. Used by its owner only */
};

/*
 * What counter asks for, of functions whose addresses lie in current's memory. ERR_PTR; -ENODEV: this kernel traces none of its
 * functions. May sleep.
 */
struct uw_trigger *uw_trigger_function_create(struct uw_trigger_owner *owner, const struct uwind_counter *counter);

int uw_function_init(struct uw_function *function, struct uw_trigger_owner *owner, const struct uw_trigger_ops *ops,
		     const struct uwind_counter *counter);
void uw_function_deinit(struct uw_function *function);
void uw_function_enable(struct uw_trigger *trigger);
void uw_function_disable(struct uw_trigger *trigger);

/*
 * Is what current calls of interest? From then until uw_function_end() nothing in the same context is, and current is not
 * preempted. false: nothing has begun. Any context.
 */
bool uw_function_begin(struct uw_function *function);
void uw_function_end(void);

/* In between. regs: as in struct uw_firing. */
void uw_function_fire(struct uw_function *function, struct pt_regs *regs, const struct uwind_call *call);

/* The addresses that counter points to, in current's memory; kvfree() is due. ERR_PTR. May sleep. */
unsigned long *uw_function_addresses(const struct uwind_counter *counter);

#ifdef CONFIG_DYNAMIC_FTRACE
struct uw_trigger *uw_trigger_call_create(struct uw_trigger_owner *owner, const struct uwind_counter *counter);
#else
static inline struct uw_trigger *uw_trigger_call_create(struct uw_trigger_owner *owner,
							const struct uwind_counter *counter)
{
	return ERR_PTR(-ENODEV);
}
#endif

#ifdef CONFIG_KRETPROBES
struct uw_trigger *uw_trigger_return_create(struct uw_trigger_owner *owner, const struct uwind_counter *counter);
#else
static inline struct uw_trigger *uw_trigger_return_create(struct uw_trigger_owner *owner,
							  const struct uwind_counter *counter)
{
	return ERR_PTR(-ENODEV);
}
#endif

#endif
