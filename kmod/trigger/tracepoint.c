// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel lists its own tracepoints to anyone.
 */
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "trigger/tracepoint.h"

struct search {
	const char *name;
	struct tracepoint *found;
};

static void match(struct tracepoint *tracepoint, void *data)
{
	struct search *search = data;

	if (!strcmp(tracepoint->name, search->name))
		search->found = tracepoint;
}

struct tracepoint *uw_tracepoint_find(const char *name)
{
	struct search search = { .name = name };

	for_each_kernel_tracepoint(match, &search);
	return search.found;
}
