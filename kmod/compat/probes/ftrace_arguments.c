// SPDX-License-Identifier: GPL-2.0
/*
 * Since Linux 6.2 (94d095ffa0e1 "ftrace: abstract DYNAMIC_FTRACE_WITH_ARGS accesses") arguments of a traced function can be
 * had without all of its registers.
 */
#include <linux/ftrace.h>

unsigned long uw_probe(struct ftrace_regs *fregs);
unsigned long uw_probe(struct ftrace_regs *fregs)
{
	return ftrace_regs_get_argument(fregs, 0);
}
