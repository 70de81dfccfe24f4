// SPDX-License-Identifier: GPL-2.0
/*
 * Does each thing once that a debug kernel has to complain about: proof that
 * qemu/run.sh hears what that kernel says. The machine survives it.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timer.h>
#include <linux/vmalloc.h>

static volatile int sink;

/* Compilers must not see through it. */
static unsigned int unknown(unsigned int value)
{
	return READ_ONCE(*(volatile unsigned int *)&value);
}

static void use_after_free(void)
{
	char *object = kmalloc(64, GFP_KERNEL);

	kfree(object);
	sink = READ_ONCE(object[unknown(8)]);
}

static void behind_vmalloc(void)
{
	char *table = vmalloc(100);

	if (table)
		sink = READ_ONCE(table[unknown(120)]);
	vfree(table);
}

static void index_out_of_bounds(void)
{
	static struct {
		int first[4];
		int second[4];
	} pair;

	sink = pair.first[unknown(5)];
}

static void shift_out_of_bounds(void)
{
	sink = 1 << unknown(40);
}

static void list_corruption(void)
{
	struct list_head list = LIST_HEAD_INIT(list), entry;

	list_add(&entry, &list);
	list.next = NULL;
	list_add(&entry, &list);
}

static void refcount_below_zero(void)
{
	refcount_t refs = REFCOUNT_INIT(0);

	refcount_dec(&refs);
}

static void never_called(struct timer_list *timer) {}

static void free_of_an_active_timer(void)
{
	struct timer_list *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	timer_setup(timer, never_called, 0);
	mod_timer(timer, jiffies + 1000 * HZ);
	kfree(timer);
}

static void sleep_in_atomic(void)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
}

static void preemptible_cpu_number(void)
{
	sink = smp_processor_id();
}

static void rcu_without_lock(void)
{
	static int __rcu *pointer;

	sink = !rcu_dereference(pointer);
}

/* One word may still be found on the stack, or in a register. */
static void leak(void)
{
	int i;

	for (i = 0; i < 16; i++)
		WRITE_ONCE(sink, !kmalloc(128, GFP_KERNEL));
}

static void lock_order(void)
{
	static DEFINE_MUTEX(first);
	static DEFINE_MUTEX(second);

	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

/*
 * Lockdep says one thing, and then is silent; as it is after KASAN has spoken.
 * What needs it comes first.
 */
static int __init faulty_init(void)
{
	rcu_without_lock();
	lock_order();
	use_after_free();
	behind_vmalloc();
	index_out_of_bounds();
	shift_out_of_bounds();
	list_corruption();
	refcount_below_zero();
	free_of_an_active_timer();
	sleep_in_atomic();
	preemptible_cpu_number();
	leak();
	return 0;
}

static void __exit faulty_exit(void) {}

module_init(faulty_init);
module_exit(faulty_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("What a debug kernel complains about");
