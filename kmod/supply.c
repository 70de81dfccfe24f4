// SPDX-License-Identifier: GPL-2.0
/*
 * Requests are numbered; a bitmap says which are taken. That makes taking one
 * safe in any context, NMI included, on any CPU, without a free list's ABA
 * trouble. The supply grows by portions, in a worker, up to UW_MAX_REQUESTS:
 * a task that sleeps in the kernel keeps its request, so their number depends
 * on how many tasks sleep, not on the sampling rate.
 */
#include <linux/bitmap.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "request.h"
#include "supply.h"

#define UW_SUPPLY_PORTION 256

static DEFINE_MUTEX(grow_mutex);
static struct uw_request *requests[UW_MAX_REQUESTS]; /* Protected by: grow_mutex to write */
static DECLARE_BITMAP(taken, UW_MAX_REQUESTS);
static u32 nr_requests; /* Order: raised after the pointers below it are set       */
static void (*request_run)(struct uw_work *work);
static void (*request_drop)(struct uw_work *work);

static int uw_supply_grow(void)
{
	u32 i, first, end;

	mutex_lock(&grow_mutex);
	first = nr_requests;
	end = min_t(u32, first + UW_SUPPLY_PORTION, UW_MAX_REQUESTS);
	for (i = first; i < end; i++) {
		struct uw_request *request = kzalloc(sizeof(*request), GFP_KERNEL);

		if (!request)
			break;
		request->index = i;
		uw_work_init(&request->work, request_run, request_drop);
		requests[i] = request;
		smp_store_release(&nr_requests, i + 1);
	}
	mutex_unlock(&grow_mutex);
	return i > first ? 0 : -ENOMEM;
}

static void uw_supply_worker(struct work_struct *work)
{
	uw_supply_grow();
}

static DECLARE_WORK(grow_work, uw_supply_worker);

static void uw_supply_wake(struct irq_work *work)
{
	schedule_work(&grow_work);
}

static DEFINE_IRQ_WORK(wake_work, uw_supply_wake);

struct uw_request *uw_supply_take(void)
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

void uw_supply_give(struct uw_request *request)
{
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

int uw_supply_prepare(void (*run)(struct uw_work *work), void (*drop)(struct uw_work *work))
{
	request_run = run;
	request_drop = drop;
	while (uw_supply_count() < UW_SUPPLY_PORTION * 4)
		if (uw_supply_grow())
			return -ENOMEM;
	return 0;
}

void uw_supply_exit(void)
{
	irq_work_sync(&wake_work);
	flush_work(&grow_work);
}
