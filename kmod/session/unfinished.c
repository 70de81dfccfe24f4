// SPDX-License-Identifier: GPL-2.0
/*
 * A file that gets no table at all is missed for ever, and a reader that makes tables needs time: so there is a limit
 * for each second, and for some minutes one for all and one for each file. Sums are looked at before and raised
 * afterwards, and may be exceeded by one stack for each task that is here.
 */
#include <linux/jiffies.h>
#include <linux/math64.h>

#include "core/walk.h"
#include "request/request.h"
#include "session/record.h"
#include "session/unfinished.h"

#define UW_LONG_SECONDS     600
#define UW_BYTES_PER_SECOND (16ll << 20)
#define UW_BYTES_PER_LONG   (256ll << 20)
#define UW_SAMPLES_PER_FILE 4096 /* in UW_LONG_SECONDS */

static_assert(UWIND_MAX_STACK_BYTES + UW_MOST_UNFINISHED_BYTES < U16_MAX / 2);

bool uw_unfinished_wanted(const struct uw_unfinished *unfinished, const struct uw_answer *answer, u32 nr)
{
	const struct uw_walk *walk = answer->walk;

	return unfinished->stack_bytes && walk && walk->missed && walk->missed->file && nr == walk->nr_frames;
}

/* Whether a period has just begun, which one of all tasks sees. */
static bool period_begins(unsigned long *period, unsigned long now)
{
	unsigned long then = READ_ONCE(*period);

	return then != now && cmpxchg(period, then, now) == then;
}

static void begin_periods(struct uw_unfinished *unfinished)
{
	unsigned long second = div_u64(get_jiffies_64(), HZ);
	u32 i;

	if (period_begins(&unfinished->second, second))
		atomic64_set(&unfinished->second_bytes, 0);
	if (!period_begins(&unfinished->period, second / UW_LONG_SECONDS))
		return;
	atomic64_set(&unfinished->bytes, 0);
	for (i = 0; i < UW_UNFINISHED_PLACES; i++)
		atomic_set(&unfinished->missed[i], 0);
}

bool uw_unfinished_takes(struct uw_unfinished *unfinished, const struct uw_answer *answer)
{
	atomic_t *missed = &unfinished->missed[answer->walk->missed->file % UW_UNFINISHED_PLACES];

	begin_periods(unfinished);
	return atomic64_read(&unfinished->bytes) < UW_BYTES_PER_LONG &&
	       atomic64_read(&unfinished->second_bytes) < UW_BYTES_PER_SECOND &&
	       atomic_add_unless(missed, 1, UW_SAMPLES_PER_FILE);
}

void uw_unfinished_charge(struct uw_unfinished *unfinished, u32 bytes)
{
	atomic64_add(bytes, &unfinished->bytes);
	atomic64_add(bytes, &unfinished->second_bytes);
}
