// SPDX-License-Identifier: GPL-2.0
/* Since Linux 6.13 page_frag_free() is declared in a header of its own. */
#include <linux/page_frag_cache.h>

void uw_probe(void *address);
void uw_probe(void *address)
{
	page_frag_free(address);
}
