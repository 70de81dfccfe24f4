/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which text lies in a page of memory.
 */
#ifndef UW_TEXT_PAGES_H
#define UW_TEXT_PAGES_H

#include <linux/types.h>

/* Know the modules that are there, and those that come. Process context, as is the end. */
int uw_text_pages_start(void);
void uw_text_pages_stop(void);

/* The address at which the kernel executes what lies there. 0: not known. Any context. */
u64 uw_text_pages_address(phys_addr_t physical);

/* Where the text of an address lies. 0: nowhere. Any context. */
phys_addr_t uw_text_pages_physical(unsigned long address);

#endif
