/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Each write to the kernel's text.
 */
#ifndef UW_TEXT_PROBE_H
#define UW_TEXT_PROBE_H

/*
 * Report them from now on. Process context, as is the end, which waits for those that are being reported. why: a constant text,
 * where the error is -EOPNOTSUPP.
 */
int uw_text_probe_start(const char **why);
void uw_text_probe_stop(void);

#endif
