/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Watching the kernel's text.
 */
#ifndef UW_TEXT_WATCH_H
#define UW_TEXT_WATCH_H

#include <linux/types.h>

struct file;

/*
 * A file that tells by records what flags say, with room for so many bytes of them. It must be checked before that they
 * may be asked for. Errors as UWIND_IOC_WATCH_TEXT has them; why: a constant text, where that is -EOPNOTSUPP.
 */
struct file *uw_text_watch_open(u32 flags, u32 bytes, const char **why);

#endif
