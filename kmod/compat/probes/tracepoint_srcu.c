// SPDX-License-Identifier: GPL-2.0
/* Since Linux 7.0 probes of all tracepoints but those of system calls run under SRCU of their own. */
#include <linux/tracepoint.h>

void uw_probe(struct rcu_head *head, rcu_callback_t function);
void uw_probe(struct rcu_head *head, rcu_callback_t function)
{
	call_tracepoint_unregister_atomic(head, function);
}
