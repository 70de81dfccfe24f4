// SPDX-License-Identifier: GPL-2.0
/*
 * Returns of the kernel's functions, by return probes, which are to be had on each kernel: each notes at the call when it
 * was, and with which arguments.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "stats.h"
#include "trigger/function.h"

struct trigger_return;

/* Of one function. */
struct returns {
	struct kretprobe probe;
	struct trigger_return *trigger;
};

struct trigger_return {
	struct uw_function function;
	struct returns *returns;   /* owned */
	struct kretprobe **probes; /* owned: those of returns, as the kernel takes them */
	u32 nr;                    /* that are registered */
	unsigned long missed;      /* that were counted. Used by sweeps only, and by close after them */
};

/* What is kept of a call until it returns. */
struct call {
	u64 begun_ns;
	u64 arguments[UWIND_MAX_ARGUMENTS];
};

/* NULL: it is unregistered already. */
static struct returns *returns_of(struct kretprobe_instance *instance)
{
	struct kretprobe *probe = get_kretprobe(instance);

	return probe ? container_of(probe, struct returns, probe) : NULL;
}

/* Not 0: its return is of no interest. */
static int entered(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct returns *returns = returns_of(instance);
	struct call *call = (struct call *)instance->data;
	unsigned int i;

	if (!returns || !uw_function_begin(&returns->trigger->function))
		return 1;
	for (i = 0; i < UWIND_MAX_ARGUMENTS; i++)
		call->arguments[i] = regs_get_kernel_argument(regs, i);
	uw_function_end();
	call->begun_ns = ktime_get_mono_fast_ns();
	return 0;
}

static void return_fire(struct returns *returns, const struct call *begun, struct pt_regs *regs)
{
	struct uwind_call call = {
		.function = (unsigned long)returns->probe.kp.addr,
		.duration_ns = ktime_get_mono_fast_ns() - begun->begun_ns,
		.value = regs_return_value(regs),
		.flags = UWIND_CALL_RETURN,
	};

	memcpy(call.arguments, begun->arguments, sizeof(call.arguments));
	uw_function_fire(&returns->trigger->function, regs, &call);
}

static int returned(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct returns *returns = returns_of(instance);

	if (!returns || !uw_function_begin(&returns->trigger->function))
		return 0;
	return_fire(returns, (struct call *)instance->data, regs);
	uw_function_end();
	return 0;
}

static struct trigger_return *trigger_return_of(struct uw_trigger *trigger)
{
	return container_of(trigger, struct trigger_return, function.base);
}

/* Calls for whose return there was no room, and those within another probe's handler. */
static void trigger_return_sweep(struct uw_trigger *base)
{
	struct trigger_return *trigger = trigger_return_of(base);
	unsigned long missed = 0;
	u32 i;

	for (i = 0; i < trigger->nr; i++)
		missed += READ_ONCE(trigger->probes[i]->nmissed) + READ_ONCE(trigger->probes[i]->kp.nmissed);
	uw_stats_missed(base->owner->counts, missed - trigger->missed);
	trigger->missed = missed;
}

static void trigger_return_close(struct uw_trigger *base)
{
	struct trigger_return *trigger = trigger_return_of(base);

	might_sleep();
	if (!trigger->function.open)
		return;
	unregister_kretprobes(trigger->probes, trigger->nr);
	trigger_return_sweep(base);
	trigger->function.open = false;
}

static void trigger_return_free(struct uw_trigger *base)
{
	struct trigger_return *trigger = trigger_return_of(base);

	trigger_return_close(base);
	kvfree(trigger->probes);
	kvfree(trigger->returns);
	uw_function_deinit(&trigger->function);
	kfree(trigger);
}

static const struct uw_trigger_ops trigger_return_ops = {
	.enable = uw_function_enable,
	.disable = uw_function_disable,
	.close = trigger_return_close,
	.free = trigger_return_free,
	.sweep = trigger_return_sweep,
};

static void probe_set(struct trigger_return *trigger, u32 i, unsigned long address)
{
	struct returns *returns = &trigger->returns[i];

	returns->trigger = trigger;
	returns->probe.kp.addr = (kprobe_opcode_t *)address;
	returns->probe.entry_handler = entered;
	returns->probe.handler = returned;
	returns->probe.data_size = sizeof(struct call);
	returns->probe.maxactive = UWIND_CALLS_AT_ONCE;
	trigger->probes[i] = &returns->probe;
}

static int trigger_return_open(struct trigger_return *trigger, const unsigned long *addresses, u32 nr)
{
	u32 i;
	int err;

	trigger->returns = kvcalloc(nr, sizeof(*trigger->returns), GFP_KERNEL);
	trigger->probes = kvcalloc(nr, sizeof(*trigger->probes), GFP_KERNEL);
	if (!trigger->returns || !trigger->probes)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		probe_set(trigger, i, addresses[i]);
	err = register_kretprobes(trigger->probes, nr);
	trigger->nr = nr;
	trigger->function.open = !err;
	return err && err != -ENOMEM ? -EINVAL : err;
}

static int trigger_return_init(struct trigger_return *trigger, struct uw_trigger_owner *owner,
			       const struct uwind_counter *counter)
{
	unsigned long *addresses;
	int err = uw_function_init(&trigger->function, owner, &trigger_return_ops, counter);

	if (err)
		return err;
	addresses = uw_function_addresses(counter);
	if (IS_ERR(addresses))
		return PTR_ERR(addresses);
	err = trigger_return_open(trigger, addresses, counter->config2);
	kvfree(addresses);
	return err;
}

struct uw_trigger *uw_trigger_return_create(struct uw_trigger_owner *owner, const struct uwind_counter *counter)
{
	struct trigger_return *trigger = kzalloc(sizeof(*trigger), GFP_KERNEL);
	int err;

	if (!trigger)
		return ERR_PTR(-ENOMEM);
	err = trigger_return_init(trigger, owner, counter);
	if (!err)
		return &trigger->function.base;
	trigger_return_free(&trigger->function.base);
	return ERR_PTR(err);
}
