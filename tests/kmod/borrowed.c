// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>

#include "borrowed.h"

struct borrowed borrowed;

int borrow(void)
{
	borrowed.trigger = symbol_get(uw_trigger_module);
	if (!borrowed.trigger)
		return -ENOENT;
	/* uwind stays from here on, and has all of them or none. */
	borrowed.init = symbol_get(uw_deferred_init);
	borrowed.request = symbol_get(uw_deferred_request);
	borrowed.cancel = symbol_get(uw_deferred_cancel);
	borrowed.exit = symbol_get(uw_deferred_exit);
	borrowed.frame = symbol_get(uw_deferred_frame);
	return 0;
}

void give_back(void)
{
	symbol_put(uw_deferred_frame);
	symbol_put(uw_deferred_exit);
	symbol_put(uw_deferred_cancel);
	symbol_put(uw_deferred_request);
	symbol_put(uw_deferred_init);
	symbol_put(uw_trigger_module);
}
