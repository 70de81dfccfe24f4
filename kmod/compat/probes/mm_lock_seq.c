// SPDX-License-Identifier: GPL-2.0
/*
 * Since Linux 6.13, and in Debian's 6.12, changes of a memory map are counted from the moment mmap_lock is taken for
 * writing (eb449bd96954 "mm: convert mm_lock_seq to a proper seqcount"). Before 6.4, without CONFIG_PER_VMA_LOCK,
 * nothing counts them; the plain number in between is not used.
 */
#include <linux/mm_types.h>
#include <linux/seqlock.h>

unsigned int uw_probe(const struct mm_struct *mm);
unsigned int uw_probe(const struct mm_struct *mm)
{
	return READ_ONCE(mm->mm_lock_seq.sequence);
}
