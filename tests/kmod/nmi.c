// SPDX-License-Identifier: GPL-2.0
/*
 * NMIs from one processor to another. Those that wait are merged, so that one is under
 * way to a processor at a time: so the handler knows its own, and each that was sent is
 * counted.
 */
#include <linux/cpu.h>
#include <linux/percpu.h>

#include <asm/apic.h>
#include <asm/nmi.h>

#include "stress.h"

static DEFINE_PER_CPU(atomic_t, under_way);
static DEFINE_PER_CPU(u64, sent); /* to this processor: one other sends to it */

static int handle(unsigned int type, struct pt_regs *regs)
{
	if (!atomic_xchg(this_cpu_ptr(&under_way), 0))
		return NMI_DONE;
	hit(IN_NMI, regs);
	return NMI_HANDLED;
}

void nmi_send(unsigned int cpu)
{
	if (atomic_xchg(per_cpu_ptr(&under_way, cpu), 1))
		return;
	(*per_cpu_ptr(&sent, cpu))++;
	apic->send_IPI(cpu, NMI_VECTOR);
}

u64 nmi_sent(void)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(sent, cpu));
	return sum;
}

int nmi_start(void)
{
	return register_nmi_handler(NMI_LOCAL, handle, 0, "uwind_stress");
}

/* Nobody sends any more; nothing is under way when the handler goes. */
void nmi_stop(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		while (atomic_read(per_cpu_ptr(&under_way, cpu)))
			cpu_relax();
	unregister_nmi_handler(NMI_LOCAL, "uwind_stress");
}
