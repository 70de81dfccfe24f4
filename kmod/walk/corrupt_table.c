// SPDX-License-Identifier: GPL-2.0
/*
 * A rule that means nothing, in a table that was checked: something has since
 * overwritten its memory. That table goes out of service, in every process, and no
 * other does.
 */
#include <linux/sched.h>

#include "log.h"
#include "store/space.h"
#include "store/table_store.h"
#include "store/tie.h"
#include "uw_port_walk.h"

#define UW_CORRUPT_PATH_BYTES 256

/* The table of that number, if it serves the address, with a reference. Under rcu_read_lock(). */
static struct uw_stored_table *corrupt_table_get(const struct uw_space *space, u64 address, u32 number)
{
	const struct uw_range *bound, *mapped;
	struct uw_stored_table *stored = NULL;

	bound = uw_ranges_find_living(uw_space_bound_ranges(space), address);
	mapped = uw_ranges_find(rcu_dereference(space->mapped.ranges), address);
	if (bound && bound->stored->number == number)
		stored = bound->stored;
	else if (mapped && mapped->file)
		stored = uw_tie_table(mapped->file);
	if (!stored || stored->number != number || !refcount_inc_not_zero(&stored->refs))
		return NULL;
	return stored;
}

static void retire_corrupt(struct uw_stored_table *stored, const struct uw_found *found)
{
	char path[UW_CORRUPT_PATH_BYTES], comm[TASK_COMM_LEN];

	uw_tie_file(stored, path, sizeof(path));
	if (!uw_tie_retire_corrupt(stored))
		return;
	get_task_comm(comm, current);
	if (!path[0])
		strscpy(path, "memory without a file", sizeof(path));
	pr_err("table %u of " UW_LOG_NAME " is out of service: the rule at offset %#llx, met in " UW_LOG_NAME
	       "[%d], is not what was checked: %*ph\n",
	       stored->number, uw_log_name(path), found->offset, uw_log_name(comm), task_tgid_nr(current),
	       (int)sizeof(found->rule), &found->rule);
}

/* A walk that must not sleep leaves it to the next one. */
void uw_table_retire_corrupt(const struct uw_port *port, u64 address, const struct uw_found *found)
{
	struct uw_stored_table *stored;

	if (port->atomic || !port->space)
		return;
	rcu_read_lock();
	stored = corrupt_table_get(port->space, address, found->table);
	rcu_read_unlock();
	if (!stored)
		return;
	retire_corrupt(stored, found);
	uw_table_store_put(stored);
}
