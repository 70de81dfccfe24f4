/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a session counts, as its caller says it.
 */
#ifndef UW_EVENT_INPUT_H
#define UW_EVENT_INPUT_H

#include <linux/types.h>

#include "session/event.h"

struct uwind_session_start;

/*
 * Copy and check what arg says. Errors: see UWIND_IOC_SESSION_START; list->bad is set. In any case
 * uw_event_input_free() is due. May sleep.
 */
int uw_event_input(struct uw_event_list *list, const struct uwind_session_start *arg, bool privileged);
void uw_event_input_free(struct uw_event_list *list);

#endif
