// SPDX-License-Identifier: GPL-2.0
/*
 * Whoever writes to text on arm64 holds the kernel's patch_lock with interrupts off, and maps the page at a fixed
 * address of its own, FIX_TEXT_POKE0, as text itself is read-only:
 *
 *   __set_fixmap(FIX_TEXT_POKE0, page, …)   the old bytes are copied here
 *   a write to that mapping
 *   __set_fixmap(FIX_TEXT_POKE0, 0, none)   and compared with the new ones here
 *   caches_clean_inval_pou(start, end)      after patch_lock, usually; also where text was written before it became text
 *
 * The functions that write may not be probed, these two may. So each write has exact bounds in time, which is all that
 * perf's events of text pokes would say, that arm64's kernel does not have.
 *
 * As the probe of __set_fixmap itself is put in place, only the second of its calls may be seen, and as it is taken away,
 * only the first.
 */
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <asm/fixmap.h>

#include "kernel/text_pages.h"
#include "kernel/text_probe.h"
#include "kernel/text_watchers.h"
#include "trigger/kernel_stack.h"

#define UW_FLUSH_PARTS 4 /* of UWIND_MAX_TEXT_PAGES: as far as the pages of one flush are looked up */

/* The write under way. Protected by: the kernel's patch_lock */
static struct {
	bool begun;
	phys_addr_t start; /* what is written lies from here to the end of the page, at most */
	u64 after_ns;
	u8 *old; /* a page. Set before there are probes */
} poke;

/* Of a flush. Protected by: flush_lock */
static __u64 flush_pages[UWIND_MAX_TEXT_PAGES];
static DEFINE_RAW_SPINLOCK(flush_lock); /* Order: outside watchers_lock */

static notrace u32 left_in_page(phys_addr_t physical)
{
	return PAGE_SIZE - (physical & ~PAGE_MASK);
}
NOKPROBE_SYMBOL(left_in_page);

static notrace void poke_begin(phys_addr_t physical)
{
	physical &= ~(phys_addr_t)3;
	poke.begun = pfn_valid(PHYS_PFN(physical));
	if (!poke.begun) {
		uw_text_lose(UWIND_WATCH_CHANGES, 1);
		return;
	}
	poke.start = physical;
	memcpy(poke.old, phys_to_virt(physical), left_in_page(physical));
	poke.after_ns = ktime_get_mono_fast_ns();
}
NOKPROBE_SYMBOL(poke_begin);

/* Words of 4 bytes from the first that differs to the last. False: none does. */
static notrace bool find_change(const u32 *old, const u32 *new, u32 words, u32 *first, u32 *end)
{
	*first = 0;
	*end = words;
	while (*first < *end && old[*first] == new[*first])
		++*first;
	while (*end > *first && old[*end - 1] == new[*end - 1])
		--*end;
	return *first < *end;
}
NOKPROBE_SYMBOL(find_change);

/* The function that was called has no frame record yet: its caller is in the link register. */
static notrace void fill_callers(struct uwind_text_record *record, struct pt_regs *regs)
{
	unsigned long frames[UWIND_TEXT_CALLERS + UW_KERNEL_STACK_SPARE + 1];
	u32 i, nr = uw_kernel_stack(regs, frames, UWIND_TEXT_CALLERS);

	frames[0] = regs->regs[30] | ~0ul << VA_BITS;
	for (i = 0; i < nr; i++)
		record->callers[i] = frames[i];
	record->nr_callers = nr;
}
NOKPROBE_SYMBOL(fill_callers);

static notrace void change_emit(struct uw_text_event *event, u32 offset, u32 bytes)
{
	event->record.physical = poke.start + offset;
	event->record.address = uw_text_pages_address(event->record.physical);
	event->record.bytes = bytes;
	event->data[0] = poke.old + offset;
	event->data[1] = phys_to_virt(event->record.physical);
	event->data_bytes[0] = event->data_bytes[1] = bytes;
	uw_text_emit(UWIND_WATCH_CHANGES, event);
}
NOKPROBE_SYMBOL(change_emit);

static notrace void poke_end(struct pt_regs *regs)
{
	struct uw_text_event event;
	u32 first, end, offset;

	if (!poke.begun)
		return;
	poke.begun = false;
	uw_text_event_begin(&event, UWIND_TEXT_CHANGE);
	event.record.after_ns = poke.after_ns;
	if (!find_change((const u32 *)poke.old, phys_to_virt(poke.start), left_in_page(poke.start) / 4, &first, &end))
		return;
	fill_callers(&event.record, regs);
	for (offset = 4 * first; offset < 4 * end; offset += UWIND_MAX_TEXT_CHANGE)
		change_emit(&event, offset, min(4 * end - offset, UWIND_MAX_TEXT_CHANGE));
}
NOKPROBE_SYMBOL(poke_end);

static notrace int fixmap_called(struct kprobe *probe, struct pt_regs *regs)
{
	if ((u32)regs->regs[0] != FIX_TEXT_POKE0)
		return 0;
	if (regs->regs[2])
		poke_begin(regs->regs[1]);
	else
		poke_end(regs);
	return 0;
}
NOKPROBE_SYMBOL(fixmap_called);

static notrace void flush_emit(struct uw_text_event *event, unsigned long start, unsigned long end, bool with_pages)
{
	unsigned long page, flags;
	u32 nr = 0;

	raw_spin_lock_irqsave(&flush_lock, flags);
	for (page = start & PAGE_MASK; with_pages && page < end; page += PAGE_SIZE)
		flush_pages[nr++] = uw_text_pages_physical(page) & PAGE_MASK;
	event->record.address = start;
	event->record.bytes = end - start;
	event->data[0] = flush_pages;
	event->data_bytes[0] = nr * sizeof(*flush_pages);
	uw_text_emit(UWIND_WATCH_CHANGES, event);
	raw_spin_unlock_irqrestore(&flush_lock, flags);
}
NOKPROBE_SYMBOL(flush_emit);

/* Also called for pages of user space, by other addresses. */
static notrace int caches_cleaned(struct kprobe *probe, struct pt_regs *regs)
{
	const unsigned long most = UWIND_MAX_TEXT_PAGES * PAGE_SIZE;
	unsigned long start = regs->regs[0], end = regs->regs[1];
	struct uw_text_event event;
	u32 part;

	if (start < MODULES_VADDR || end > VMALLOC_END || start >= end)
		return 0;
	uw_text_event_begin(&event, UWIND_TEXT_FLUSH);
	fill_callers(&event.record, regs);
	for (part = 0; part < UW_FLUSH_PARTS && start < end; part++) {
		unsigned long stop = min(end, (start & PAGE_MASK) + most);

		flush_emit(&event, start, stop, true);
		start = stop;
	}
	if (start < end)
		flush_emit(&event, start, end, false);
	return 0;
}
NOKPROBE_SYMBOL(caches_cleaned);

static struct kprobe fixmap_probe, caches_probe;
/* In this order: what the second one writes for itself has its flush. */
static struct kprobe *probes[] = { &caches_probe, &fixmap_probe };

/* The kernel leaves its own marks in a probe: each time it is a new one. */
static int probes_register(void)
{
	fixmap_probe = (struct kprobe){ .symbol_name = "__set_fixmap", .pre_handler = fixmap_called };
	caches_probe = (struct kprobe){ .symbol_name = "caches_clean_inval_pou", .pre_handler = caches_cleaned };
	return register_kprobes(probes, ARRAY_SIZE(probes));
}

/* Others' probes may hold this up, and grace periods are not expedited meanwhile. */
static void probes_unregister(void)
{
	rcu_expedite_gp();
	unregister_kprobes(probes, ARRAY_SIZE(probes));
	rcu_unexpedite_gp();
}

int uw_text_probe_start(const char **why)
{
	int err;

	poke.begun = false;
	poke.old = kmalloc(PAGE_SIZE, GFP_KERNEL);
	if (!poke.old)
		return -ENOMEM;
	err = uw_text_pages_start();
	if (err)
		goto free_old;
	err = probes_register();
	if (!err)
		return 0;
	pr_notice("no probes of __set_fixmap and caches_clean_inval_pou (%d): changes of text cannot be reported\n",
		  err);
	*why = "no probes of __set_fixmap and caches_clean_inval_pou";
	if (err != -ENOMEM)
		err = -EOPNOTSUPP;
	uw_text_pages_stop();
free_old:
	kfree(poke.old);
	return err;
}

void uw_text_probe_stop(void)
{
	probes_unregister();
	uw_text_pages_stop();
	kfree(poke.old);
}
