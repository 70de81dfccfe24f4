// SPDX-License-Identifier: GPL-2.0
/* A function without arguments, and exported, in Linux 7.2 and Debian's 6.12; in 6.1 it asks what no module may see. */
#include <linux/perf_event.h>

int uw_probe(void);
int uw_probe(void)
{
	return perf_allow_kernel();
}
