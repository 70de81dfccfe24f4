// SPDX-License-Identifier: GPL-2.0
/*
 * Lets NMIs rain, and asks uwind in each of them for the stack of what was hit.
 *
 * On every processor a thread sends NMIs to the next one. One is under way to a
 * processor at a time, since NMIs that wait are merged: so the handler knows its
 * own, and each that was sent is counted. The intervals are random within a
 * factor of three, so that no phase of a program is spared.
 *
 * debugfs has the counts in uwind_nmi: "KIND HITS ASKED", where user, kernel,
 * entry and module say where the NMI hit, and the others who was hit, or doing
 * what; "sent N"; and "process TGID ASKED", TGID 0 standing for processes that
 * found no room in the table.
 */
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>

#include <asm/apic.h>
#include <asm/nmi.h>

#include "trigger_module.h"

#define MAX_PROCESSES 4096

static unsigned int period_us = 200;
module_param(period_us, uint, 0444);
MODULE_PARM_DESC(period_us, "mean time between two NMIs on a processor");

/* The kernel exports neither, /proc/kallsyms shows both. */
static unsigned long entry_start, entry_end, module_start, module_end;
module_param(entry_start, ulong, 0400);
module_param(entry_end, ulong, 0400);
MODULE_PARM_DESC(entry_start, "first address of the kernel's entry code; entry_end: behind it");
module_param(module_start, ulong, 0400);
module_param(module_end, ulong, 0400);
MODULE_PARM_DESC(module_start, "first address of uwind's code; module_end: behind it");

enum kind {
	HIT_USER,
	HIT_KERNEL,
	HIT_ENTRY,
	HIT_MODULE,
	HIT_TRIGGER, /* uwind's code in an interrupt: it is asking at that moment */
	HIT_KTHREAD,
	HIT_EXECVE,
	HIT_EXITING,
	NR_KINDS,
};

static const char *const kind_names[NR_KINDS] = {
	"user", "kernel", "entry", "module", "trigger", "kthread", "execve", "exiting",
};

struct counts {
	u64 hits[NR_KINDS];
	u64 asked[NR_KINDS];
	u64 sent; /* to this processor                                           */
};

struct process {
	atomic_t tgid; /* 0: free. Set once                                      */
	atomic_t asked;
};

static DEFINE_PER_CPU(struct counts, counts);
static DEFINE_PER_CPU(atomic_t, under_way);
static DEFINE_PER_CPU(struct task_struct *, senders);
static struct process processes[MAX_PROCESSES];
static atomic_t others_asked;
static unsigned int (*trigger)(struct pt_regs *regs);
static struct dentry *file;

static bool is_within(unsigned long address, unsigned long start, unsigned long end)
{
	return address >= start && address < end;
}

static enum kind place_of(struct pt_regs *regs)
{
	if (user_mode(regs))
		return HIT_USER;
	if (is_within(regs->ip, entry_start, entry_end))
		return HIT_ENTRY;
	return is_within(regs->ip, module_start, module_end) ? HIT_MODULE : HIT_KERNEL;
}

static void count(enum kind kind, bool asked)
{
	this_cpu_inc(counts.hits[kind]);
	if (asked)
		this_cpu_inc(counts.asked[kind]);
}

static void count_process(pid_t tgid)
{
	struct process *process = &processes[tgid % MAX_PROCESSES];
	int before = atomic_cmpxchg(&process->tgid, 0, tgid);

	atomic_inc(!before || before == tgid ? &process->asked : &others_asked);
}

static void hit(struct pt_regs *regs)
{
	enum kind place = place_of(regs);
	bool asked = trigger(regs);

	count(place, asked);
	/* The NMI itself counts as one interrupt. */
	if (place == HIT_MODULE && hardirq_count() > HARDIRQ_OFFSET)
		count(HIT_TRIGGER, asked);
	if (current->flags & PF_KTHREAD)
		count(HIT_KTHREAD, asked);
	if (current->in_execve)
		count(HIT_EXECVE, asked);
	if (current->flags & PF_EXITING)
		count(HIT_EXITING, asked);
	if (asked)
		count_process(current->tgid);
}

static int handle(unsigned int type, struct pt_regs *regs)
{
	if (!atomic_xchg(this_cpu_ptr(&under_way), 0))
		return NMI_DONE;
	hit(regs);
	return NMI_HANDLED;
}

static int rain(void *unused)
{
	unsigned int to = cpumask_next(raw_smp_processor_id(), cpu_online_mask);

	if (to >= nr_cpu_ids)
		to = cpumask_first(cpu_online_mask);
	while (!kthread_should_stop()) {
		usleep_range(period_us / 2, period_us * 3 / 2);
		if (atomic_xchg(per_cpu_ptr(&under_way, to), 1))
			continue;
		per_cpu_ptr(&counts, to)->sent++; /* one processor sends to it */
		apic->send_IPI(to, NMI_VECTOR);
	}
	return 0;
}

static int counts_show(struct seq_file *out, void *unused)
{
	u64 sent = 0;
	int cpu, i;

	for (i = 0; i < NR_KINDS; i++) {
		u64 hits = 0, asked = 0;

		for_each_possible_cpu(cpu) {
			hits += READ_ONCE(per_cpu(counts, cpu).hits[i]);
			asked += READ_ONCE(per_cpu(counts, cpu).asked[i]);
		}
		seq_printf(out, "%s %llu %llu\n", kind_names[i], hits, asked);
	}
	for_each_possible_cpu(cpu)
		sent += READ_ONCE(per_cpu(counts, cpu).sent);
	seq_printf(out, "sent %llu\nprocess 0 %d\n", sent, atomic_read(&others_asked));
	for (i = 0; i < MAX_PROCESSES; i++)
		if (atomic_read(&processes[i].asked))
			seq_printf(out, "process %d %d\n", atomic_read(&processes[i].tgid),
				   atomic_read(&processes[i].asked));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counts);

/* Nothing is under way when the handler goes. */
static void stop_rain(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (per_cpu(senders, cpu))
			kthread_stop(per_cpu(senders, cpu));
	for_each_online_cpu(cpu)
		while (atomic_read(per_cpu_ptr(&under_way, cpu)))
			cpu_relax();
}

/* Ahead of ordinary programs: the rain goes on however many of them there are. */
static int start_rain(void)
{
	struct task_struct *sender;
	int cpu;

	for_each_online_cpu(cpu) {
		sender = kthread_create(rain, NULL, "nmi/%d", cpu);
		if (IS_ERR(sender))
			return PTR_ERR(sender);
		kthread_bind(sender, cpu);
		sched_set_fifo(sender);
		per_cpu(senders, cpu) = sender;
		wake_up_process(sender);
	}
	return 0;
}

static void nmi_stop(void)
{
	stop_rain();
	unregister_nmi_handler(NMI_LOCAL, "uwind_nmi");
	debugfs_remove(file);
	symbol_put(uw_trigger_module);
}

static int __init nmi_init(void)
{
	int err;

	if (num_online_cpus() < 2)
		return -ENODEV;
	trigger = symbol_get(uw_trigger_module);
	if (!trigger)
		return -ENOENT;
	err = register_nmi_handler(NMI_LOCAL, handle, 0, "uwind_nmi");
	if (err) {
		symbol_put(uw_trigger_module);
		return err;
	}
	file = debugfs_create_file("uwind_nmi", 0400, NULL, NULL, &counts_fops);
	err = start_rain();
	if (err)
		nmi_stop();
	return err;
}

static void __exit nmi_exit(void)
{
	nmi_stop();
}

module_init(nmi_init);
module_exit(nmi_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("NMIs in which uwind is asked for stacks");
