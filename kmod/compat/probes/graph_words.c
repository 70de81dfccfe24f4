// SPDX-License-Identifier: GPL-2.0
/*
 * Since Linux 6.11 (42675b723b48 "function_graph: Convert ret_stack to a series of longs") what function_graph has put aside
 * is not an array of one struct.
 */
#include <linux/sched.h>

unsigned long *uw_probe(void);
unsigned long *uw_probe(void)
{
	return current->ret_stack;
}
