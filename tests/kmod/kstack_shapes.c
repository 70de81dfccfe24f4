// SPDX-License-Identifier: GPL-2.0
/*
 * Functions with frames of each kind, for the case 69_kstack. The compiler says how big they are (-fstack-usage).
 *
 * "CONTEXT BYTES" written to the parameter run calls all of them, one from the other, the last one shapes_bottom(), in a
 * task, a softirq or an interrupt; one of them takes so many bytes by alloca(). "FUNCTION OFFSET" written to probe calls
 * one of them while a probe at that offset calls shapes_probed(): so it is interrupted at that instruction.
 */
#include <linux/completion.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>

#define MOST_DYNAMIC 2048u
#define SMALL        40
#define LARGE        600
#define HUGE         4600

/* What is called by a function has no prototype elsewhere: the case finds it by its name. */
noinline void shapes_bottom(void);
noinline void shapes_probed(void);
noinline int shapes_small(unsigned int bytes);
noinline int shapes_large(unsigned int bytes);
noinline int shapes_huge(unsigned int bytes);
noinline int shapes_dynamic(unsigned int bytes);
noinline int shapes_many(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k,
			 long l);
noinline int shapes_arguments(unsigned int bytes);
noinline int shapes_aligned(unsigned int bytes);
noinline int shapes_late(unsigned int bytes);
noinline int shapes_leaf(unsigned int bytes);
noinline int shapes_caller(int (*function)(unsigned int bytes), unsigned int bytes);

static DEFINE_MUTEX(shapes_mutex); /* one run at a time */
static unsigned long reached;

/* So that memory is written, and read again. */
static __always_inline int use(void *memory)
{
	asm volatile("" : : "r"(memory) : "memory");
	return *(volatile char *)memory;
}

noinline void shapes_bottom(void)
{
	WRITE_ONCE(reached, reached + 1);
	barrier();
}

noinline void shapes_probed(void)
{
	WRITE_ONCE(reached, reached + 2);
	barrier();
}

noinline int shapes_many(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l)
{
	shapes_bottom();
	return use(&a) + use(&l) + b + c + d + e + f + g + h + i + j + k;
}

noinline int shapes_arguments(unsigned int bytes)
{
	return shapes_many(bytes, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, bytes) + 1;
}

/* Clears what it has: the registers that are saved for it. */
noinline int shapes_aligned(unsigned int bytes)
{
	char array[100] __aligned(64);

	return use(array) + shapes_arguments(bytes) + use(array);
}

noinline int shapes_dynamic(unsigned int bytes)
{
	char *array = __builtin_alloca(bytes);

	return use(array) + shapes_aligned(bytes) + use(array);
}

noinline int shapes_huge(unsigned int bytes)
{
	char array[HUGE];

	return use(array) + shapes_dynamic(bytes) + use(array);
}

noinline int shapes_large(unsigned int bytes)
{
	char array[LARGE];

	return use(array) + shapes_huge(bytes) + use(array);
}

noinline int shapes_small(unsigned int bytes)
{
	char array[SMALL];

	return use(array) + shapes_large(bytes) + use(array);
}

/* Its frame is not made before it is needed. */
noinline int shapes_late(unsigned int bytes)
{
	char array[SMALL];

	if (!bytes)
		return 1;
	use(array);
	shapes_bottom();
	return use(array);
}

noinline int shapes_leaf(unsigned int bytes)
{
	char array[SMALL];

	return use(array) + bytes;
}

noinline int shapes_caller(int (*function)(unsigned int bytes), unsigned int bytes)
{
	return function(bytes) + 1;
}

static unsigned int dynamic_bytes;
static DECLARE_COMPLETION(softirq_done);

static void run_softirq(struct tasklet_struct *tasklet)
{
	shapes_caller(shapes_small, dynamic_bytes);
	complete(&softirq_done);
}

static void run_irq(struct irq_work *work)
{
	shapes_caller(shapes_small, dynamic_bytes);
}

static DECLARE_TASKLET(softirq_work, run_softirq);
static struct irq_work irq_work = IRQ_WORK_INIT_HARD(run_irq);

static int run_in(const char *context)
{
	if (!strcmp(context, "task")) {
		shapes_caller(shapes_small, dynamic_bytes);
	} else if (!strcmp(context, "softirq")) {
		reinit_completion(&softirq_done);
		tasklet_schedule(&softirq_work);
		wait_for_completion(&softirq_done);
	} else if (!strcmp(context, "irq")) {
		irq_work_queue(&irq_work);
		irq_work_sync(&irq_work);
	} else {
		return -EINVAL;
	}
	return 0;
}

static int run_set(const char *text, const struct kernel_param *param)
{
	char context[16];
	unsigned int bytes;
	int err;

	if (sscanf(text, "%15s %u", context, &bytes) != 2 || bytes > MOST_DYNAMIC)
		return -EINVAL;
	mutex_lock(&shapes_mutex);
	dynamic_bytes = bytes;
	err = run_in(context);
	mutex_unlock(&shapes_mutex);
	return err;
}

/* On x86 the breakpoint has been executed, and pc is after it. It stands for an interrupt before the instruction. */
static int probed(struct kprobe *probe, struct pt_regs *regs)
{
	const unsigned long pc = instruction_pointer(regs);

	instruction_pointer_set(regs, (unsigned long)probe->addr);
	shapes_probed();
	instruction_pointer_set(regs, pc);
	return 0;
}

/* A probe with a second handler is never made a jump. */
static void probed_after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static int (*function_named(const char *name))(unsigned int bytes)
{
	static const struct {
		const char *name;
		int (*function)(unsigned int bytes);
	} functions[] = {
		{ "shapes_small", shapes_small },     { "shapes_large", shapes_large }, { "shapes_huge", shapes_huge },
		{ "shapes_dynamic", shapes_dynamic }, { "shapes_late", shapes_late },   { "shapes_leaf", shapes_leaf },
		{ "shapes_aligned", shapes_aligned },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(functions); i++)
		if (!strcmp(name, functions[i].name))
			return functions[i].function;
	return NULL;
}

static int probe_run(int (*function)(unsigned int bytes), unsigned int offset)
{
	struct kprobe probe = {
		.addr = (kprobe_opcode_t *)((unsigned long)function + offset),
		.pre_handler = probed,
		.post_handler = probed_after,
	};
	int err = register_kprobe(&probe);

	if (err)
		return err;
	shapes_caller(function, 64);
	unregister_kprobe(&probe);
	return 0;
}

static int probe_set(const char *text, const struct kernel_param *param)
{
	int (*function)(unsigned int bytes);
	char name[32];
	unsigned int offset;
	int err = -EINVAL;

	if (sscanf(text, "%31s %u", name, &offset) != 2)
		return -EINVAL;
	mutex_lock(&shapes_mutex);
	function = function_named(name);
	if (function)
		err = probe_run(function, offset);
	mutex_unlock(&shapes_mutex);
	return err;
}

static const struct kernel_param_ops run_ops = { .set = run_set };
static const struct kernel_param_ops probe_ops = { .set = probe_set };

module_param_cb(run, &run_ops, NULL, 0200);
module_param_cb(probe, &probe_ops, NULL, 0200);

static int __init shapes_init(void)
{
	return 0;
}

static void __exit shapes_exit(void)
{
	tasklet_kill(&softirq_work);
	irq_work_sync(&irq_work);
}

module_init(shapes_init);
module_exit(shapes_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Functions with frames of each kind");
