/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names in the kernel's log: users choose them, so whatever is not printable is
 * escaped. One message stays one line, and says nothing but what the module says.
 */
#ifndef UW_LOG_H
#define UW_LOG_H

#include <linux/string.h>

/* In a format; and its arguments for a string. */
#define UW_LOG_NAME       "%*pE"
#define uw_log_name(name) (int)strlen(name), (name)

#endif
