// SPDX-License-Identifier: GPL-2.0
/*
 * Asks for itself, as any module may, and keeps an account: each cookie is entered with
 * the task and the image that it was asked for, and looked up when its answer comes.
 *
 * Lines of the account, per context: "CONTEXT asked N shared N refused N nomem N exiting N
 * answered N frames N"; then "lost CAUSE N" for each enum uwind_loss, "strange N" (a cookie
 * that nobody asked for), "twice N", "wrong_task N", "wrong_image N", "cancelled N", "open N",
 * and for some of the open ones "owed by TID".
 */
#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#include "borrowed.h"
#include "stress.h"
#include "uwind_words.h"

#define LEDGER_BITS   20
#define LEDGER_PROBES 64
#define LEDGER_SHOWN  16

#define ENUM_LOSS(name, json) LOSS_##name,
enum { UWIND_LOSS_LIST(ENUM_LOSS) NR_LOSSES };
#define NAME_LOSS(name, json) json,
static const char *const loss_names[] = { UWIND_LOSS_LIST(NAME_LOSS) };
static const char *const context_names[NR_CONTEXTS] = { "task", "softirq", "irq", "nmi" };

enum { ENTRY_FREE, ENTRY_OPEN, ENTRY_ANSWERED, ENTRY_CANCELLED };

struct entry {
	atomic64_t cookie; /* 0: free. Set once */
	atomic_t state;
	pid_t tgid;
	pid_t tid;
	const struct mm_struct *mm;
	u8 context;
};

struct column {
	atomic_t asked, shared, refused, nomem, exiting, answered;
	atomic64_t frames;
};

static struct uw_deferred work;
static struct entry *entries;
static struct column columns[NR_CONTEXTS];
static atomic_t lost[NR_LOSSES];
static atomic_t strange, twice, wrong_task, wrong_image, cancelled, full;
static unsigned int most;

static struct entry *entry_at(u64 cookie, unsigned int probe)
{
	return &entries[(hash_64(cookie, LEDGER_BITS) + probe) & ((1 << LEDGER_BITS) - 1)];
}

static struct entry *entry_find(u64 cookie)
{
	unsigned int i;

	for (i = 0; i < LEDGER_PROBES; i++)
		if (atomic64_read(&entry_at(cookie, i)->cookie) == cookie)
			return entry_at(cookie, i);
	return NULL;
}

static void entry_add(enum context context, u64 cookie)
{
	unsigned int i;

	for (i = 0; i < LEDGER_PROBES; i++) {
		struct entry *entry = entry_at(cookie, i);

		if (atomic64_cmpxchg(&entry->cookie, 0, cookie))
			continue;
		entry->tgid = current->tgid;
		entry->tid = current->pid;
		entry->mm = current->mm;
		entry->context = context;
		atomic_set_release(&entry->state, ENTRY_OPEN);
		return;
	}
	atomic_inc(&full);
}

bool ledger_wants(enum context context)
{
	return atomic_read(&columns[context].asked) < most;
}

void ledger_ask(enum context context, struct pt_regs *regs)
{
	struct column *column = &columns[context];
	u64 cookie;
	int result;

	if (!ledger_wants(context))
		return;
	result = borrowed.request(&work, regs, &cookie);
	switch (result) {
	case 0:
		atomic_inc(&column->asked);
		entry_add(context, cookie);
		break;
	case 1:
		atomic_inc(&column->shared);
		break;
	case -EINVAL:
		atomic_inc(&column->refused);
		break;
	case -ENOMEM:
		atomic_inc(&column->nomem);
		break;
	default:
		atomic_inc(&column->exiting);
	}
}

/* The request of a task that sleeps is taken back by another. */
bool ledger_cancel(void)
{
	struct entry *entry;

	for (entry = entries; entry < entries + (1 << LEDGER_BITS); entry++) {
		if (atomic_read(&entry->state) != ENTRY_OPEN || entry->context != IN_TASK)
			continue;
		if (!borrowed.cancel(&work, atomic64_read(&entry->cookie)))
			continue;
		atomic_set(&entry->state, ENTRY_CANCELLED);
		atomic_inc(&cancelled);
		return true;
	}
	return false;
}

static void check_stack(const struct entry *entry, const struct uw_deferred_stack *stack)
{
	struct uw_deferred_frame frame;

	if ((entry->mm != current->mm) != stack->past)
		atomic_inc(&wrong_image);
	if (!borrowed.frame(stack, 0, &frame) || borrowed.frame(stack, stack->nr_frames, &frame))
		atomic_inc(&strange);
	atomic64_add(stack->nr_frames, &columns[entry->context].frames);
}

static void answered(struct uw_deferred *who, const struct uw_deferred_stack *stack)
{
	struct entry *entry = entry_find(stack->cookie);

	if (!entry || who != &work) {
		atomic_inc(&strange);
		return;
	}
	if (atomic_cmpxchg(&entry->state, ENTRY_OPEN, ENTRY_ANSWERED) != ENTRY_OPEN) {
		atomic_inc(&twice);
		return;
	}
	atomic_inc(&columns[entry->context].answered);
	/* A thread that executes a program takes its leader's number. */
	if (entry->tgid != current->tgid || (!stack->lost && entry->tid != current->pid))
		atomic_inc(&wrong_task);
	if (stack->lost)
		atomic_inc(&lost[min_t(u32, stack->lost - 1, NR_LOSSES - 1)]);
	else
		check_stack(entry, stack);
}

static unsigned int count_open(void)
{
	unsigned int open = 0;
	struct entry *entry;

	for (entry = entries; entry < entries + (1 << LEDGER_BITS); entry++)
		open += atomic_read(&entry->state) == ENTRY_OPEN;
	return open;
}

static void show_owing(struct seq_file *out)
{
	unsigned int shown = 0;
	struct entry *entry;

	for (entry = entries; entry < entries + (1 << LEDGER_BITS) && shown < LEDGER_SHOWN; entry++) {
		if (atomic_read(&entry->state) != ENTRY_OPEN)
			continue;
		seq_printf(out, "owed by %d\n", entry->tid);
		shown++;
	}
}

void ledger_show(struct seq_file *out)
{
	int i;

	for (i = 0; i < NR_CONTEXTS; i++) {
		struct column *column = &columns[i];

		seq_printf(out, "%s asked %d shared %d refused %d nomem %d exiting %d answered %d frames %lld\n",
			   context_names[i], atomic_read(&column->asked), atomic_read(&column->shared),
			   atomic_read(&column->refused), atomic_read(&column->nomem), atomic_read(&column->exiting),
			   atomic_read(&column->answered), atomic64_read(&column->frames));
	}
	for (i = 0; i < NR_LOSSES; i++)
		seq_printf(out, "lost %s %d\n", loss_names[i], atomic_read(&lost[i]));
	seq_printf(out, "strange %d\ntwice %d\nwrong_task %d\nwrong_image %d\ncancelled %d\nfull %d\nopen %u\n",
		   atomic_read(&strange), atomic_read(&twice), atomic_read(&wrong_task), atomic_read(&wrong_image),
		   atomic_read(&cancelled), atomic_read(&full), count_open());
	seq_printf(out, "sent %llu\n", nmi_sent());
	show_owing(out);
}

int ledger_start(unsigned int limit)
{
	int err;

	most = min(limit, (1u << LEDGER_BITS) / NR_CONTEXTS / 2);
	entries = vzalloc(array_size(1 << LEDGER_BITS, sizeof(*entries)));
	if (!entries)
		return -ENOMEM;
	err = borrowed.init(&work, answered);
	if (err)
		vfree(entries);
	return err;
}

void ledger_stop(void)
{
	unsigned int open = count_open();
	u64 taken_back = borrowed.exit(&work);

	pr_info("uwind_stress: %u requests were open, %llu were taken back\n", open, taken_back);
	vfree(entries);
}
