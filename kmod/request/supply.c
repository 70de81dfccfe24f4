// SPDX-License-Identifier: GPL-2.0
/*
 * Requests are numbered; a bitmap says which are taken. That makes taking one
 * safe in any context, NMI included, on any CPU, without a free list's ABA
 * trouble. The supply grows by portions, in a worker, up to UW_MAX_REQUESTS:
 * a task that sleeps in the kernel keeps its request, so their number depends
 * on how many tasks sleep, not on the sampling rate.
 *
 * A request that a thread has not answered counts for the thread's user, who may have a
 * part of all. So a user with thousands of sleeping threads cannot use up the supply.
 *
 * Requests lie side by side in blocks of pages, and each holds a reference to
 * its block. So each can be freed alone when the module has gone (resident.h),
 * and thousands go at once where debugging makes every kfree() slow.
 */
#include <linux/bitmap.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/kmemleak.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "request/supply.h"

#define UW_SUPPLY_PORTION 256
#define UW_HOLDER_BITS    8
#define UW_BLOCK_ORDER    get_order(16384)
#define UW_BLOCK_SIZE     (PAGE_SIZE << UW_BLOCK_ORDER)

static unsigned int request_quota = UW_MAX_REQUESTS / 2;
module_param(request_quota, uint, 0644);
MODULE_PARM_DESC(request_quota, "stacks of one user's threads that are owed at once (8192)");

static DEFINE_MUTEX(grow_mutex);
static struct uw_request *requests[UW_MAX_REQUESTS]; /* Protected by: grow_mutex to write */
static DECLARE_BITMAP(taken, UW_MAX_REQUESTS);
static atomic_t held[1 << UW_HOLDER_BITS]; /* of these, by users; some share a place */
static u32 nr_requests;                    /* Order: raised after the pointers below it are set */
static const struct uw_work_kind *request_kind;

/* kmemleak does not look into pages by itself: what only requests point to would seem lost. */
static int supply_add_block(void)
{
	u32 first = nr_requests, i, end;
	struct uw_request *block;
	struct page *page;

	lockdep_assert_held(&grow_mutex);
	page = alloc_pages(GFP_KERNEL | __GFP_COMP | __GFP_ZERO, UW_BLOCK_ORDER);
	if (!page)
		return -ENOMEM;
	block = page_address(page);
	kmemleak_alloc(block, UW_BLOCK_SIZE, 1, GFP_KERNEL);
	end = min_t(u32, first + UW_BLOCK_SIZE / sizeof(*block), UW_MAX_REQUESTS);
	for (i = first; i < end; i++, block++) {
		if (i > first)
			get_page(page);
		block->index = i;
		uw_work_init(&block->work, request_kind);
		requests[i] = block;
		smp_store_release(&nr_requests, i + 1);
	}
	return 0;
}

static int supply_grow(void)
{
	int err = 0;
	u32 end;

	mutex_lock(&grow_mutex);
	end = min_t(u32, nr_requests + UW_SUPPLY_PORTION, UW_MAX_REQUESTS);
	while (nr_requests < end && !err)
		err = supply_add_block();
	mutex_unlock(&grow_mutex);
	return err;
}

static void supply_worker(struct work_struct *work)
{
	supply_grow();
}

static DECLARE_WORK(grow_work, supply_worker);

static void supply_wake(struct irq_work *work)
{
	schedule_work(&grow_work);
}

static DEFINE_IRQ_WORK(wake_work, supply_wake);

static struct uw_request *supply_take_idle(void)
{
	u32 count = uw_supply_count(), start, i, bit;

	if (!count)
		return NULL;
	/* CPUs begin at different places, so that they rarely meet. */
	start = (raw_smp_processor_id() * 37) % count;
	for (i = 0; i < 4; i++) {
		bit = find_next_zero_bit(taken, count, start);
		if (bit >= count)
			bit = find_first_zero_bit(taken, count);
		if (bit >= count)
			break;
		if (!test_and_set_bit(bit, taken))
			return requests[bit];
		start = bit;
	}
	if (count < UW_MAX_REQUESTS)
		irq_work_queue(&wake_work);
	return NULL;
}

struct uw_request *uw_supply_take(kuid_t user)
{
	atomic_t *holder = NULL;
	struct uw_request *request = NULL;

	if (!uid_eq(user, GLOBAL_ROOT_UID))
		holder = &held[hash_32(__kuid_val(user), UW_HOLDER_BITS)];
	if (!holder || atomic_inc_return(holder) <= READ_ONCE(request_quota))
		request = supply_take_idle();
	if (request)
		request->holder = holder;
	else if (holder)
		atomic_dec(holder);
	return request;
}

void uw_supply_give(struct uw_request *request)
{
	if (request->holder)
		atomic_dec(request->holder);
	clear_bit_unlock(request->index, taken);
}

struct uw_request *uw_supply_at(u32 index)
{
	return requests[index];
}

u32 uw_supply_count(void)
{
	return smp_load_acquire(&nr_requests);
}

u32 uw_supply_taken(void)
{
	return bitmap_weight(taken, UW_MAX_REQUESTS);
}

int uw_supply_prepare(const struct uw_work_kind *kind)
{
	might_sleep();
	request_kind = kind;
	while (uw_supply_count() < UW_SUPPLY_PORTION * 4)
		if (supply_grow())
			return -ENOMEM;
	return 0;
}

void uw_supply_exit(void)
{
	u32 i;

	irq_work_sync(&wake_work);
	flush_work(&grow_work);
	for (i = 0; i < nr_requests; i++)
		if (!i || virt_to_head_page(requests[i]) != virt_to_head_page(requests[i - 1]))
			kmemleak_free(requests[i]);
}
