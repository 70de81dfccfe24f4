// SPDX-License-Identifier: GPL-2.0
/*
 * function_graph and return probes replace the link register as a function is entered, and keep what it was, together with
 * the frame pointer: that of the caller, as the function has none yet. It tells their entries apart. Of functions that call
 * each other by jumps all have the same one; the first of them has the address that is none of a tracer's.
 *
 * The kernel's own ways to look there are not exported.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "kernel/kstack_return.h"

#define MOST_PROBES 256u /* of one task, that are looked at */

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
#define WORD(member) (offsetof(struct ftrace_ret_stack, member) / sizeof(long))

static_assert(WORD(retp) == WORD(fp) + 1);

static bool is_graphed(void)
{
	unsigned int nr;

	uw_graph_words(&nr);
	return nr;
}

/* Both words of an entry that say which one it is hold the frame pointer. */
static unsigned long graph_return(unsigned long address, unsigned long fp)
{
	unsigned int nr, i;
	const unsigned long *words = uw_graph_words(&nr);

	for (i = nr; i-- > WORD(retp);) {
		if (READ_ONCE(words[i]) != fp || READ_ONCE(words[i - 1]) != fp)
			continue;
		if (READ_ONCE(words[i - WORD(retp)]) != address)
			return READ_ONCE(words[i - WORD(retp)]);
	}
	return address;
}
#else
static bool is_graphed(void)
{
	return false;
}

static unsigned long graph_return(unsigned long address, unsigned long fp)
{
	return address;
}
#endif

#if defined(CONFIG_KRETPROBES) && !defined(CONFIG_KRETPROBE_ON_RETHOOK)
static bool is_probed(void)
{
	return READ_ONCE(current->kretprobe_instances.first);
}

static unsigned long probe_return(unsigned long address, unsigned long fp)
{
	const struct llist_node *node = READ_ONCE(current->kretprobe_instances.first);
	const struct kretprobe_instance *instance;
	unsigned int i;

	for (i = 0; node && i < MOST_PROBES; i++, node = READ_ONCE(node->next)) {
		instance = llist_entry(node, const struct kretprobe_instance, llist);
		if ((unsigned long)instance->fp == fp && (unsigned long)instance->ret_addr != address)
			return (unsigned long)instance->ret_addr;
	}
	return address;
}
#else
static bool is_probed(void)
{
	return false;
}

static unsigned long probe_return(unsigned long address, unsigned long fp)
{
	return address;
}
#endif

bool uw_kstack_return_traced(void)
{
	return is_graphed() || is_probed();
}

unsigned long uw_kstack_return(unsigned long address, const char *symbol, unsigned long fp)
{
	if (strstarts(symbol, "return_to_handler+"))
		return graph_return(address, fp);
	if (strstarts(symbol, "__kretprobe_trampoline+") || strstarts(symbol, "arch_rethook_trampoline+"))
		return probe_return(address, fp);
	return address;
}
