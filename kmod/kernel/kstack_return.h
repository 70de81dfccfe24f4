/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a function returns to, if a tracer has put its own address there.
 */
#ifndef UW_KSTACK_RETURN_H
#define UW_KSTACK_RETURN_H

#include <linux/types.h>

/* Has current functions whose returns are traced? Else no return address has been replaced. */
bool uw_kstack_return_traced(void);

/*
 * What the return address of one of current's functions was, whose caller has its frame record at fp. symbol: the name of
 * the address that is there now, which is returned if no tracer has put it there.
 */
unsigned long uw_kstack_return(unsigned long address, const char *symbol, unsigned long fp);

#endif
