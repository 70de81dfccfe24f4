// SPDX-License-Identifier: GPL-2.0
/*
 * Until Linux 6.5 (ca5e863233e8 "mm/gup: remove vmas parameter from get_user_pages_remote()") it could also return the
 * mappings.
 */
#include <linux/mm.h>

long uw_probe(struct mm_struct *mm, struct page **pages, int *locked);
long uw_probe(struct mm_struct *mm, struct page **pages, int *locked)
{
	return get_user_pages_remote(mm, 0, 1, 0, pages, NULL, locked);
}
