// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of the kernel's functions: ftrace calls us from their first instructions.
 *
 * Where the kernel can, it does so without saving all registers, and straight from the function's own call site, whatever
 * else is traced: it gets no reason to ask its list of tracers.
 */
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/slab.h>

#include "trigger/function.h"

struct trigger_call {
	struct uw_function function;
	struct ftrace_ops ops;
};

static void call_fire(struct trigger_call *trigger, unsigned long ip, struct ftrace_regs *fregs)
{
	struct uwind_call call = { .function = ip };
	struct pt_regs regs;
	unsigned int i;

	for (i = 0; i < UWIND_MAX_ARGUMENTS; i++)
		call.arguments[i] = uw_ftrace_argument(fregs, i);
	uw_ftrace_regs(fregs, &regs);
	uw_function_fire(&trigger->function, &regs, &call);
}

/* Any context. */
static void called(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct trigger_call *trigger = container_of(ops, struct trigger_call, ops);

	if (!uw_function_begin(&trigger->function))
		return;
	call_fire(trigger, ip, fregs);
	uw_function_end();
}

static struct trigger_call *trigger_call_of(struct uw_trigger *trigger)
{
	return container_of(trigger, struct trigger_call, function.base);
}

static void trigger_call_close(struct uw_trigger *base)
{
	struct trigger_call *trigger = trigger_call_of(base);

	might_sleep();
	if (trigger->function.open)
		unregister_ftrace_function(&trigger->ops);
	trigger->function.open = false;
}

static void trigger_call_free(struct uw_trigger *base)
{
	struct trigger_call *trigger = trigger_call_of(base);

	trigger_call_close(base);
	ftrace_free_filter(&trigger->ops);
	uw_function_deinit(&trigger->function);
	kfree(trigger);
}

static const struct uw_trigger_ops trigger_call_ops = {
	.enable = uw_function_enable,
	.disable = uw_function_disable,
	.close = trigger_call_close,
	.free = trigger_call_free,
};

static int trigger_call_open(struct trigger_call *trigger, const struct uwind_counter *counter)
{
	unsigned long *addresses = uw_function_addresses(counter);
	int err;

	if (IS_ERR(addresses))
		return PTR_ERR(addresses);
	err = ftrace_set_filter_ips(&trigger->ops, addresses, counter->config2, 0, 1);
	kvfree(addresses);
	if (!err)
		err = register_ftrace_function(&trigger->ops);
	trigger->function.open = !err;
	return err == -ENOENT ? -EINVAL : err;
}

struct uw_trigger *uw_trigger_call_create(struct uw_trigger_owner *owner, const struct uwind_counter *counter)
{
	struct trigger_call *trigger = kzalloc(sizeof(*trigger), GFP_KERNEL);
	int err;

	if (!trigger)
		return ERR_PTR(-ENOMEM);
	trigger->ops.func = called;
	trigger->ops.flags = UW_FTRACE_FLAGS;
	err = uw_function_init(&trigger->function, owner, &trigger_call_ops, counter) ?:
		      trigger_call_open(trigger, counter);
	if (!err)
		return &trigger->function.base;
	trigger_call_free(&trigger->function.base);
	return ERR_PTR(err);
}
