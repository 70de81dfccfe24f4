/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uwind's functions, taken at run time: so uwind can be loaded anew without this module
 * being built anew.
 */
#ifndef BORROWED_H
#define BORROWED_H

#include "uwind_kernel.h"

struct borrowed {
	typeof(&uw_trigger_module) trigger;
	typeof(&uw_deferred_init) init;
	typeof(&uw_deferred_request) request;
	typeof(&uw_deferred_cancel) cancel;
	typeof(&uw_deferred_exit) exit;
	typeof(&uw_deferred_frame) frame;
};

extern struct borrowed borrowed;

/* -ENOENT: uwind is not loaded. */
int borrow(void);
void give_back(void);

#endif
