// SPDX-License-Identifier: GPL-2.0
/*
 * Each room counts what it has; here it is gathered.
 */
#include <linux/string.h>

#include "device/status.h"
#include "kernel/text_watchers.h"
#include "request/request.h"
#include "session/running.h"
#include "stats.h"
#include "store/file_store.h"
#include "store/space.h"
#include "store/table_store.h"
#include "uwind.h"

void uw_status_fill(struct uwind_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	uw_stats_fill(stats);
	uw_table_store_stats(stats);
	stats->nr_files = uw_file_count();
	stats->files_refused = uw_file_refused();
	stats->nr_spaces = uw_space_count();
	stats->nr_sessions = uw_running_count();
	stats->nr_requests_open = uw_request_count();
	stats->text_reported = uw_text_reported();
	stats->text_lost = uw_text_lost();
}
