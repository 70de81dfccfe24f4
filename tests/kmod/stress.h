/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fires triggers in every context on every CPU. Each asks uwind for the stack of the task
 * that it interrupts.
 */
#ifndef STRESS_H
#define STRESS_H

#include <linux/types.h>

struct pt_regs;
struct seq_file;

enum context { IN_TASK, IN_SOFTIRQ, IN_IRQ, IN_NMI, NR_CONTEXTS };

/* main.c: a trigger has fired. regs of what was interrupted; NULL: not known. */
void hit(enum context context, struct pt_regs *regs);
bool is_wanted(enum context context); /* false: enough was asked in it */

/* senders.c: on each CPU a thread that fires triggers on the next one. */
int senders_start(unsigned int period_us, bool softirq, bool irq, bool nmi);
void senders_stop(void);

/* nmi.c. Without it there are none: -EOPNOTSUPP. */
#ifdef CONFIG_X86_64
int nmi_start(void);
void nmi_send(unsigned int cpu);
void nmi_stop(void);
u64 nmi_sent(void);
#else
static inline int nmi_start(void)
{
	return -EOPNOTSUPP;
}
static inline void nmi_send(unsigned int cpu)
{
}
static inline void nmi_stop(void)
{
}
static inline u64 nmi_sent(void)
{
	return 0;
}
#endif

/* hits.c: asks for the sessions, and counts what was hit. */
void hits_ask(struct pt_regs *regs);
void hits_show(struct seq_file *out);

/* ledger.c: asks for itself, and keeps an account of each request. */
int ledger_start(unsigned int limit);
void ledger_ask(enum context context, struct pt_regs *regs);
bool ledger_wants(enum context context);
bool ledger_cancel(void); /* one that was asked in a task's context */
void ledger_show(struct seq_file *out);
void ledger_stop(void);

/* spoil.c: rules that mean nothing any more. */
int spoil_start(void);
void spoil_stop(void);

#endif
