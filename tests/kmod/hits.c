// SPDX-License-Identifier: GPL-2.0
/*
 * Asks in the name of the sessions, and counts what was hit.
 *
 * Lines of the account: "KIND HITS ASKED", where user, kernel, entry and module say
 * where the trigger interrupted, and the others which task, or what it was doing; "sent N"; and
 * "process TGID ASKED", TGID 0 standing for processes that found no room in the table.
 */
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>

#include "borrowed.h"
#include "stress.h"

#define MAX_PROCESSES 4096

/* The kernel exports neither, /proc/kallsyms shows both. */
static unsigned long entry_start, entry_end, module_start, module_end;
module_param(entry_start, ulong, 0400);
module_param(entry_end, ulong, 0400);
MODULE_PARM_DESC(entry_start, "first address of the kernel's entry code; entry_end: the first after it");
module_param(module_start, ulong, 0400);
module_param(module_end, ulong, 0400);
MODULE_PARM_DESC(module_start, "first address of uwind's code; module_end: the first after it");

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
};

struct process {
	atomic_t tgid; /* 0: free. Set once */
	atomic_t asked;
};

static DEFINE_PER_CPU(struct counts, counts);
static struct process processes[MAX_PROCESSES];
static atomic_t others_asked;

static bool is_within(unsigned long address, unsigned long start, unsigned long end)
{
	return address >= start && address < end;
}

static enum kind place_of(struct pt_regs *regs)
{
	if (user_mode(regs))
		return HIT_USER;
	if (is_within(instruction_pointer(regs), entry_start, entry_end))
		return HIT_ENTRY;
	return is_within(instruction_pointer(regs), module_start, module_end) ? HIT_MODULE : HIT_KERNEL;
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

void hits_ask(struct pt_regs *regs)
{
	u64 cookie;
	enum kind place = place_of(regs);
	bool asked = borrowed.trigger(regs, &cookie);

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

void hits_show(struct seq_file *out)
{
	int cpu, i;

	for (i = 0; i < NR_KINDS; i++) {
		u64 hits = 0, asked = 0;

		for_each_possible_cpu(cpu) {
			hits += READ_ONCE(per_cpu(counts, cpu).hits[i]);
			asked += READ_ONCE(per_cpu(counts, cpu).asked[i]);
		}
		seq_printf(out, "%s %llu %llu\n", kind_names[i], hits, asked);
	}
	seq_printf(out, "sent %llu\nprocess 0 %d\n", nmi_sent(), atomic_read(&others_asked));
	for (i = 0; i < MAX_PROCESSES; i++)
		if (atomic_read(&processes[i].asked))
			seq_printf(out, "process %d %d\n", atomic_read(&processes[i].tgid),
				   atomic_read(&processes[i].asked));
}
